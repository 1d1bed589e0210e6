#include "lb/comm.hpp"

#include <scotch.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.hpp"
#include "lb/communication.hpp"
#include "lb/loads.hpp"
#include "lb/refine.hpp"

namespace weft::lb {
namespace {

// Scotch counts in whole numbers, and its sums must fit.
constexpr double kLargestSum = 1 << 29;

class Scale {
 public:
  explicit Scale(double sum) : factor_(sum > 0.0 ? kLargestSum / sum : 0.0) {}
  [[nodiscard]] SCOTCH_Num operator()(double value) const {
    return std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(std::min(value * factor_, kLargestSum)));
  }

 private:
  double factor_;
};

struct Arrays {
  std::vector<SCOTCH_Num> first, weight, other, cost;  // vertices, their loads, neighbours, the edges' loads
  std::vector<SCOTCH_Num> home, move_cost, part;
};

// What lies between most pairs of workers.
Distance longest_distance(const Instance& instance) {
  Distance longest = Distance::kSameWorker;
  for (std::uint32_t worker = 1; worker < instance.workers.size(); ++worker) {
    longest = std::max(longest, distance_between(instance, 0, worker));
  }
  return longest;
}

Arrays arrays_of(const Instance& instance) {
  const Neighbours neighbours(instance);
  const Distance distance = longest_distance(instance);
  double work = 0.0;
  double seconds = 0.0;
  std::vector<double> moves;
  for (std::uint32_t i = 0; i < instance.ranks.size(); ++i) {
    const RankLoad& rank = instance.ranks[i];
    work += work_of(instance, rank);
    moves.push_back(instance.seconds_per_move + (distance >= Distance::kSameHost
                                                     ? static_cast<double>(rank.bytes) * instance.seconds_per_moved_byte
                                                     : 0.0));
    seconds += moves.back();
    for (const Neighbour& neighbour : neighbours.of(i)) {
      seconds += link_seconds(instance, distance, neighbour.messages, neighbour.bytes);
    }
  }
  const Scale weight(work);
  const Scale cost(seconds);  // one scale for messages and moves: Scotch adds them
  Arrays arrays;
  for (std::uint32_t i = 0; i < instance.ranks.size(); ++i) {
    arrays.first.push_back(static_cast<SCOTCH_Num>(arrays.other.size()));
    arrays.weight.push_back(weight(work_of(instance, instance.ranks[i])));
    arrays.move_cost.push_back(cost(moves[i]));
    const auto home = static_cast<SCOTCH_Num>(number(instance.ranks[i].home));
    arrays.home.push_back(home);
    arrays.part.push_back(instance.ranks[i].may_move ? -1 : home);
    for (const Neighbour& neighbour : neighbours.of(i)) {
      arrays.other.push_back(static_cast<SCOTCH_Num>(neighbour.rank));
      arrays.cost.push_back(cost(link_seconds(instance, distance, neighbour.messages, neighbour.bytes)));
    }
  }
  arrays.first.push_back(static_cast<SCOTCH_Num>(arrays.other.size()));
  return arrays;
}

// The part of all work that each worker can do until the ideal level.
std::vector<SCOTCH_Num> shares_of(const Instance& instance) {
  const double ideal = ideal_seconds(instance);
  std::vector<double> shares;
  shares.reserve(instance.workers.size());
  double sum = 0.0;
  for (const WorkerLoad& worker : instance.workers) {
    shares.push_back(std::max(0.0, ideal - worker.background_seconds) * worker.speed);
    sum += shares.back();
  }
  constexpr double kParts = 1 << 20;
  std::vector<SCOTCH_Num> parts;
  parts.reserve(shares.size());
  for (const double share : shares) {
    parts.push_back(std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(std::lround(share / sum * kParts))));
  }
  return parts;
}

// Maps on this thread alone, from the same random numbers each time. False if Scotch could not.
bool remap(Arrays& arrays, const std::vector<SCOTCH_Num>& shares, double imbalance) {
  SCOTCH_Graph graph;
  SCOTCH_Graph bound;
  SCOTCH_Context context;
  SCOTCH_Arch arch;
  SCOTCH_Strat strategy;
  SCOTCH_graphInit(&graph);
  SCOTCH_graphInit(&bound);
  SCOTCH_contextInit(&context);
  SCOTCH_archInit(&arch);
  SCOTCH_stratInit(&strategy);
  const auto vertices = static_cast<SCOTCH_Num>(arrays.weight.size());
  const auto workers = static_cast<SCOTCH_Num>(shares.size());
  const bool done =
      SCOTCH_contextRandomClone(&context) == 0 && SCOTCH_contextThreadSpawn(&context, 1, nullptr) == 0 &&
      SCOTCH_contextOptionSetNum(&context, SCOTCH_OPTIONNUMDETERMINISTIC, 1) == 0 &&
      SCOTCH_graphBuild(&graph, 0, vertices, arrays.first.data(), nullptr, arrays.weight.data(), nullptr,
                        static_cast<SCOTCH_Num>(arrays.other.size()), arrays.other.data(), arrays.cost.data()) == 0 &&
      SCOTCH_archCmpltw(&arch, workers, shares.data()) == 0 &&
      SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATREMAP | SCOTCH_STRATBALANCE, workers, imbalance) == 0 &&
      (SCOTCH_contextRandomReset(&context), SCOTCH_contextBindGraph(&context, &graph, &bound) == 0) &&
      SCOTCH_graphRemapFixed(&bound, &arch, arrays.home.data(), 1.0, arrays.move_cost.data(), &strategy,
                             arrays.part.data()) == 0;
  SCOTCH_graphExit(&bound);
  SCOTCH_stratExit(&strategy);
  SCOTCH_archExit(&arch);
  SCOTCH_graphExit(&graph);
  SCOTCH_contextExit(&context);
  return done;
}

// Refinement of a plan: ranks start where it puts them.
Plan refined(const Instance& instance, const Plan& plan, double tolerance) {
  Instance moved = instance;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const RankLoad& rank = instance.ranks[i];
    moved.ranks[i].seconds = seconds_on(instance, rank, number(plan[i]));
    moved.ranks[i].home = plan[i];
  }
  return Refine(tolerance).solve(moved);
}

// What a plan costs besides work: its messages, each at one end, and its moves.
double price(const Instance& instance, const Plan& plan) {
  double messages = 0.0;
  for (const double seconds : message_seconds(instance, Neighbours(instance), plan)) {
    messages += seconds / 2.0;
  }
  const Moves moves = moves_of(instance, plan);
  return messages + static_cast<double>(moves.ranks) * instance.seconds_per_move +
         static_cast<double>(moves.bytes) * instance.seconds_per_moved_byte;
}

}  // namespace

Plan Comm::solve(const Instance& instance) const {
  check_instance(instance);
  const double ideal = ideal_seconds(instance);
  const Plan homes = homes_of(instance);
  if (Neighbours(instance).empty() || instance.workers.size() == 1 || ideal <= 0.0) {
    return Refine(tolerance_).solve(instance);
  }
  Arrays arrays = arrays_of(instance);
  if (!remap(arrays, shares_of(instance), tolerance_ - 1.0)) {
    return Refine(tolerance_).solve(instance);
  }
  Plan plan(homes.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const auto part = static_cast<std::uint32_t>(arrays.part[i]);
    plan[i] = instance.ranks[i].may_move && part < instance.workers.size() ? WorkerId{part} : homes[i];
  }
  plan = refined(instance, plan, tolerance_);
  const double before = longest_seconds(instance, homes);
  const double allowed = tolerance_ * ideal;
  if (longest_seconds(instance, plan) > std::max(before, allowed)) {
    return Refine(tolerance_).solve(instance);
  }
  return before <= allowed && price(instance, plan) >= price(instance, homes) ? homes : plan;
}

}  // namespace weft::lb
