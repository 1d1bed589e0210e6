#include "lb/migbsp_history.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "lb/communication.hpp"
#include "lb/loads.hpp"
#include "lb/parse.hpp"

namespace weft::lb {
namespace {

// Aging: each older superstep counts half.
void age(double& prediction, double value, bool first) { prediction = first ? value : 0.5 * prediction + 0.5 * value; }

// Algorithms 5 and 6: moves towards 1 if the prediction was within the margin of the value, else towards 0.
void update_regularity(double& regularity, double prediction, double value, double margin, double step) {
  const bool hit = prediction >= value * (1.0 - margin) && prediction <= value * (1.0 + margin);
  regularity = std::clamp(regularity + (hit ? step : -step), 0.0, 1.0);
}

// A rank with less than this part of the busiest rank's work does not take part in the superstep: it mostly waits.
constexpr double kTakesPart = 0.01;

// By worker, how many of its ranks take part in the superstep.
std::vector<std::uint32_t> taking_part(const Instance& superstep) {
  double most = 0.0;
  for (const RankLoad& rank : superstep.ranks) {
    most = std::max(most, work_of(superstep, rank));
  }
  std::vector<std::uint32_t> ranks(superstep.workers.size());
  for (const RankLoad& rank : superstep.ranks) {
    ranks[number(rank.home)] += work_of(superstep, rank) > kTakesPart * most ? 1 : 0;
  }
  return ranks;
}

// Leaves out workers without work if no worker has a second rank to give them: they are not out of balance.
std::vector<double> compared_seconds(const Instance& superstep) {
  std::vector<double> seconds = worker_seconds(superstep, homes_of(superstep));
  const std::vector<std::uint32_t> ranks = taking_part(superstep);
  if (std::ranges::max(ranks) < 2) {
    std::size_t kept = 0;
    for (std::size_t worker = 0; worker < seconds.size(); ++worker) {
      if (ranks[worker] != 0) {
        seconds[kept++] = seconds[worker];
      }
    }
    seconds.resize(kept);
  }
  return seconds;
}

Instance instance_of(Instance measured, const Superstep& superstep) {
  for (std::size_t i = 0; i < superstep.seconds.size(); ++i) {
    measured.ranks[i].seconds = superstep.seconds[i];
  }
  measured.edges = superstep.edges;
  return measured;
}

bool fits(const std::vector<RankPattern>& patterns, const Instance& instance, std::size_t sets) {
  return patterns.size() == instance.ranks.size() &&
         std::all_of(patterns.begin(), patterns.end(), [&](const auto& rank) { return rank.sets.size() == sets; });
}

}  // namespace

Sets sets_of(const Instance& instance) {
  const Place& first = instance.workers.front().place;
  const auto differ = [&](auto part) {
    return std::any_of(instance.workers.begin(), instance.workers.end(),
                       [&](const WorkerLoad& worker) { return worker.place.*part != first.*part; });
  };
  const auto level = differ(&Place::site)      ? &Place::site
                     : differ(&Place::host)    ? &Place::host
                     : differ(&Place::process) ? &Place::process
                                               : &Place::numa;
  Sets sets;
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (std::uint32_t worker = 0; worker < instance.workers.size(); ++worker) {
    const auto next = static_cast<std::uint32_t>(sets.workers.size());
    const auto [at, is_new] = numbers.try_emplace(instance.workers[worker].place.*level, next);
    if (is_new) {
      sets.workers.emplace_back();
    }
    sets.of_worker.push_back(at->second);
    sets.workers[at->second].push_back(worker);
  }
  return sets;
}

std::vector<std::vector<Received>> received(const Instance& instance, const Sets& sets) {
  std::vector<std::vector<Received>> result(instance.ranks.size(), std::vector<Received>(sets.workers.size()));
  for (const Edge& edge : instance.edges) {
    if (edge.from != edge.to) {
      const std::uint32_t from = number(instance.ranks[edge.from].home);
      const std::uint32_t to = number(instance.ranks[edge.to].home);
      const auto bytes = static_cast<double>(edge.bytes);
      Received& sum = result[edge.to][sets.of_worker[from]];
      sum.bytes += bytes;
      sum.seconds +=
          link_seconds(instance, distance_between(instance, from, to), static_cast<double>(edge.messages), bytes);
    }
  }
  return result;
}

std::vector<RankPattern> after_superstep(std::vector<RankPattern> patterns, const Instance& superstep, bool first,
                                         std::uint64_t alpha, const MigbspMargins& margins) {
  const Sets sets = sets_of(superstep);
  const auto messages = received(superstep, sets);
  if (!fits(patterns, superstep, sets.workers.size())) {
    RankPattern fresh;
    fresh.sets.resize(sets.workers.size());
    patterns.assign(superstep.ranks.size(), fresh);
    first = true;
  }
  const double step = 1.0 / static_cast<double>(std::max<std::uint64_t>(1, alpha));
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    RankPattern& rank = patterns[i];
    const double work = work_of(superstep, superstep.ranks[i]);  // stands for instructions: the same on every worker
    age(rank.predicted_work, work, first);
    age(rank.predicted_seconds, superstep.ranks[i].seconds, first);
    update_regularity(rank.regularity, rank.predicted_work, work, margins.delta, step);
    for (std::size_t set = 0; set < rank.sets.size(); ++set) {
      SetPattern& from = rank.sets[set];
      age(from.predicted_bytes, messages[i][set].bytes, first);
      age(from.predicted_seconds, messages[i][set].seconds, first);
      update_regularity(from.regularity, from.predicted_bytes, messages[i][set].bytes, margins.beta, step);
    }
  }
  return patterns;
}

bool looks_at_patterns(std::string_view strategy) { return split_argument(strategy).name == "migbsp"; }

std::vector<RankPattern> after_supersteps(std::vector<RankPattern> patterns, const Instance& measured,
                                          std::span<const Superstep> supersteps, std::uint64_t alpha,
                                          const MigbspMargins& margins) {
  for (const Superstep& superstep : supersteps) {
    patterns = after_superstep(std::move(patterns), instance_of(measured, superstep), &superstep == supersteps.data(),
                               alpha, margins);
  }
  return patterns;
}

std::vector<std::vector<double>> superstep_seconds(const Instance& measured, std::span<const Superstep> supersteps,
                                                   std::uint64_t alpha) {
  std::vector<std::vector<double>> result;
  Instance instance = measured;
  for (WorkerLoad& worker : instance.workers) {
    worker.background_seconds /= static_cast<double>(std::max<std::uint64_t>(1, alpha));
  }
  for (const Superstep& superstep : supersteps) {
    result.push_back(compared_seconds(instance_of(instance, superstep)));
  }
  return result;
}

}  // namespace weft::lb
