#include "lb/migbsp.hpp"

#include <algorithm>
#include <limits>

#include "lb/communication.hpp"
#include "lb/loads.hpp"
#include "lb/parse.hpp"

namespace weft::lb {
namespace {

// Lower limit of 1 - load, so that divisions by it stay finite.
constexpr double kLeastRest = 0.05;

// The seconds as a part of the interval, at most 1.
double part_of(double seconds, double interval) { return interval > 0.0 ? std::min(seconds / interval, 1.0) : 0.0; }

// Average capacity of each Set (4.6.1): its workers' speeds, reduced by their load.
std::vector<double> capacities(const Instance& instance, const Sets& sets, bool as_thesis) {
  const std::vector<double> seconds = worker_seconds(instance, homes_of(instance));
  const double interval = *std::max_element(seconds.begin(), seconds.end());
  std::vector<double> result;
  for (const auto& workers : sets.workers) {
    double sum = 0.0;
    for (const std::uint32_t worker : workers) {
      const double load = as_thesis ? instance.workers[worker].background_seconds : seconds[worker];
      sum += std::max(kLeastRest, 1.0 - part_of(load, interval)) * instance.workers[worker].speed;
    }
    result.push_back(sum / static_cast<double>(workers.size()));
  }
  return result;
}

// Between two Sets' managers: their first workers; within a Set, between its first and its last.
Distance set_distance(const Instance& instance, const Sets& sets, std::uint32_t a, std::uint32_t b) {
  return distance_between(instance, sets.workers[a].front(), a == b ? sets.workers[a].back() : sets.workers[b].front());
}

// T(i, j): seconds of one byte of messages.
double byte_seconds(const Instance& instance, const Sets& sets, std::uint32_t a, std::uint32_t b) {
  return link_seconds(instance, set_distance(instance, sets, a, b), 0.0, 1.0);
}

// Mem(i, j), equation 4.6 without its weight.
double memory_seconds(const Instance& instance, const Sets& sets, const RankLoad& rank, std::uint32_t to) {
  const std::uint32_t from = sets.of_worker[number(rank.home)];
  const bool crosses = set_distance(instance, sets, from, to) >= Distance::kSameHost;
  return (crosses ? static_cast<double>(rank.bytes) * instance.seconds_per_moved_byte : 0.0) +
         instance.seconds_per_move;
}

bool has_patterns(const Instance& instance, const Sets& sets) {
  return instance.patterns.size() == instance.ranks.size() &&
         std::all_of(instance.patterns.begin(), instance.patterns.end(),
                     [&](const RankPattern& rank) { return rank.sets.size() == sets.workers.size(); });
}

struct Candidate {
  double potential;
  std::uint32_t rank;
  std::uint32_t set;
};

// The highest potential of each rank that may move, if it is positive. Highest first.
std::vector<Candidate> candidates(const Instance& instance, const MigbspSettings& settings) {
  const auto all = potentials(instance, settings);
  std::vector<Candidate> list;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const auto highest = std::max_element(all[i].begin(), all[i].end());
    if (instance.ranks[i].may_move && *highest > 0.0) {
      list.push_back({*highest, i, static_cast<std::uint32_t>(highest - all[i].begin())});
    }
  }
  std::stable_sort(list.begin(), list.end(), [](auto& a, auto& b) { return a.potential > b.potential; });
  return list;
}

// "Where" (4.7): tests each candidate after the moves of the candidates before it.
class Destinations {
 public:
  explicit Destinations(const Instance& instance)
      : instance_(instance),
        sets_(sets_of(instance)),
        received_(received(instance, sets_)),
        plan_(homes_of(instance)),
        work_(instance.workers.size()) {
    const std::vector<double> seconds = worker_seconds(instance, plan_);
    const double interval = *std::max_element(seconds.begin(), seconds.end());
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      work_[number(plan_[i])] += work_of(instance, instance.ranks[i]);
    }
    for (const WorkerLoad& worker : instance.workers) {
      capacity_.push_back(std::max(kLeastRest, 1.0 - part_of(worker.background_seconds, interval)) * worker.speed);
    }
  }

  void test(const Candidate& candidate) {
    const RankLoad& rank = instance_.ranks[candidate.rank];
    const double work = work_of(instance_, rank);
    const std::uint32_t here = number(rank.home);
    const auto& workers = sets_.workers[candidate.set];
    const std::uint32_t there =
        *std::min_element(workers.begin(), workers.end(), [&](auto a, auto b) { return time(a, 0.0) < time(b, 0.0); });
    if (here == there) {
      return;
    }
    const std::uint32_t from = sets_.of_worker[here];
    const double bytes = received_[candidate.rank][candidate.set].bytes;
    const double t1 = time(there, work) + bytes * byte_seconds(instance_, sets_, candidate.set, candidate.set) +
                      memory_seconds(instance_, sets_, rank, candidate.set);                          // 4.9
    const double t2 = time(here, 0.0) + bytes * byte_seconds(instance_, sets_, from, candidate.set);  // 4.10
    if (t2 > t1) {
      plan_[candidate.rank] = WorkerId{there};
      work_[here] -= work;
      work_[there] += work;
    }
  }

  Plan plan() && { return std::move(plan_); }

 private:
  // Equation 4.8, with `more` work on the worker.
  [[nodiscard]] double time(std::uint32_t worker, double more) const {
    return (work_[worker] + more) / capacity_[worker];
  }

  const Instance& instance_;
  Sets sets_;
  std::vector<std::vector<Received>> received_;
  Plan plan_;
  std::vector<double> work_;      // by worker
  std::vector<double> capacity_;  // (1 - load(p)) cpu(p), where load(p) is the load of others alone
};

}  // namespace

std::vector<std::vector<double>> potentials(const Instance& instance, const MigbspSettings& settings) {
  const MigbspWeights& weights = settings.weights;
  const Sets sets = sets_of(instance);
  const std::vector<double> capacity = capacities(instance, sets, settings.as_thesis);
  const std::vector<RankPattern>& patterns =
      has_patterns(instance, sets) ? instance.patterns : after_superstep({}, instance, true, 1, settings.margins);
  const std::vector<double> seconds = worker_seconds(instance, homes_of(instance));
  std::vector<std::vector<double>> result(instance.ranks.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const RankLoad& rank = instance.ranks[i];
    const std::uint32_t home = sets.of_worker[number(rank.home)];
    const double sharing =  // the worker's time divided by the rank's
        settings.as_thesis && rank.seconds > 0.0 ? seconds[number(rank.home)] / rank.seconds : 1.0;
    for (std::uint32_t set = 0; set < sets.workers.size(); ++set) {
      const SetPattern& messages = patterns[i].sets[set];
      const double comp = weights.comp * patterns[i].regularity * patterns[i].predicted_seconds * sharing *
                          capacity[set] / capacity[home];                                   // 4.4
      const double comm = weights.comm * messages.regularity * messages.predicted_seconds;  // 4.5
      const double mem = weights.mem * memory_seconds(instance, sets, rank, set);           // 4.6
      result[i].push_back(comp + comm - mem);                                               // 4.7
    }
  }
  return result;
}

Plan Migbsp::solve(const Instance& instance) const {
  check_instance(instance);
  const std::vector<Candidate> list = candidates(instance, settings_);
  Destinations destinations(instance);
  for (const Candidate& candidate : list) {
    if (candidate.potential > list.front().potential * settings_.part || candidate.rank == list.front().rank) {
      destinations.test(candidate);
    }
  }
  Plan plan = std::move(destinations).plan();
  // The destination test decides rank by rank, so that ranks can leave a slow Set one at a time. A plan therefore need
  // not shorten the longest worker; it may even lengthen it a little to save messages.
  constexpr double kAllowedGrowth = 1.05;
  const double before = longest_seconds(instance, homes_of(instance));
  return longest_seconds(instance, plan) <= before ? plan : not_worse(instance, std::move(plan), kAllowedGrowth);
}

MigbspSettings parse_migbsp(std::string_view argument) {
  MigbspSettings settings;
  constexpr std::string_view kDelta = "delta=";
  while (!argument.empty()) {
    const std::string_view word = argument.substr(0, argument.find(','));
    argument.remove_prefix(std::min(argument.size(), word.size() + 1));
    if (word == "one") {
      settings.part = 1.0;
    } else if (word == "thesis") {
      settings.as_thesis = true;
    } else if (word.starts_with(kDelta)) {
      settings.margins.delta = parse_number("migbsp", word.substr(kDelta.size()), 0.1, {0.0, 1.0});
    } else {
      settings.part = parse_number("migbsp", word, 0.8, {0.0, 1.0});
    }
  }
  return settings;
}

MigbspMargins margins_of(std::string_view strategy) {
  return looks_at_patterns(strategy) ? parse_migbsp(split_argument(strategy).argument).margins : MigbspMargins{};
}

}  // namespace weft::lb
