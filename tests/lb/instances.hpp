// Instances for the tests of lb.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "lb/loads.hpp"
#include "lb/strategy.hpp"

namespace weft::lb {

// Ranks dealt out to the workers in turn.
inline Instance instance(const std::vector<double>& seconds, std::uint32_t workers) {
  Instance result;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    result.ranks.push_back(
        {RankId{static_cast<std::uint32_t>(i)}, WorkerId{static_cast<std::uint32_t>(i) % workers}, seconds[i]});
  }
  result.workers.resize(workers);
  return result;
}

// What a random instance has beside loads.
struct Features {
  bool speeds = false;
  bool background = false;
  bool bound = false;
  bool edges = false;
  bool places = false;
};

// The standard's distributions differ from library to library; this does not.
inline double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11U) * 0x1p-53; }

// Loads from nearly nothing to a few seconds, homes anywhere; edges along a ring and across it.
inline Instance random_instance(std::uint64_t seed, std::uint32_t ranks, std::uint32_t workers,
                                const Features& features = {}) {
  std::mt19937_64 random(seed);
  Instance result;
  for (std::uint32_t i = 0; i < ranks; ++i) {
    const double seconds = uniform(random) * (random() % 4 == 0 ? 3.0 : 1.0);
    const bool may_move = !features.bound || random() % 5 != 0;
    const auto home = static_cast<std::uint32_t>(uniform(random) * uniform(random) * workers);
    result.ranks.push_back({RankId{i}, WorkerId{home}, seconds, random() % (1U << 20U), may_move});
  }
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    WorkerLoad load;
    load.speed = features.speeds ? 0.5 + uniform(random) : 1.0;
    load.background_seconds = features.background && random() % 3 == 0 ? uniform(random) : 0.0;
    load.place = features.places ? Place{worker / 2, worker / 2, worker / 4} : Place{};
    result.workers.push_back(load);
  }
  for (std::uint32_t i = 0; features.edges && i < ranks && ranks > 2; ++i) {
    result.edges.push_back({i, (i + 1) % ranks, 10, random() % (1U << 16U)});
    result.edges.push_back({i, (i + ranks / 2) % ranks, 1, random() % (1U << 10U)});
  }
  return result;
}

// The least `seconds(problem, plan)` of all plans, by trying each.
template <typename Seconds>
double best_of_all_plans(const Instance& problem, const Seconds& seconds) {
  double best = std::numeric_limits<double>::max();
  Plan plan(problem.ranks.size());
  for (;;) {
    best = std::min(best, seconds(problem, plan));
    std::size_t i = 0;
    while (i < plan.size() && number(plan[i]) + 1 == problem.workers.size()) {
      plan[i++] = WorkerId{0};
    }
    if (i == plan.size()) {
      return best;
    }
    plan[i] = WorkerId{number(plan[i]) + 1};
  }
}

// The seconds of the longest worker in the best of all plans.
inline double best_seconds(const Instance& problem) { return best_of_all_plans(problem, longest_seconds); }

// Small enough for best_of_all_plans(): up to 8 ranks on up to 3 workers.
inline std::vector<Instance> small_instances() {
  std::vector<Instance> all;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    all.push_back(random_instance(seed, 2 + seed % 7, 2 + seed % 2));
  }
  return all;
}

using Numbers = std::vector<std::uint32_t>;

inline Numbers numbers(const Plan& plan) {
  Numbers result;
  for (const WorkerId worker : plan) {
    result.push_back(number(worker));
  }
  return result;
}

}  // namespace weft::lb
