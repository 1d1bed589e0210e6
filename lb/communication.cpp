#include "lb/communication.hpp"

namespace weft::lb {

Distance distance_between(const Instance& instance, std::uint32_t a, std::uint32_t b) {
  if (a == b) {
    return Distance::kSameWorker;
  }
  const Place& here = instance.workers[a].place;
  const Place& there = instance.workers[b].place;
  if (here.process == there.process) {
    return here.numa == there.numa ? Distance::kSameNuma : Distance::kSameProcess;
  }
  return here.host == there.host ? Distance::kSameHost : Distance::kOtherHost;
}

Neighbours::Neighbours(const Instance& instance) : first_(instance.ranks.size() + 1) {
  for (const Edge& edge : instance.edges) {
    if (edge.from != edge.to) {
      ++first_[edge.from + 1];
      ++first_[edge.to + 1];
    }
  }
  for (std::size_t rank = 1; rank < first_.size(); ++rank) {
    first_[rank] += first_[rank - 1];
  }
  all_.resize(first_.back());
  std::vector<std::size_t> next(first_.begin(), first_.end());
  for (const Edge& edge : instance.edges) {
    if (edge.from != edge.to) {
      const auto messages = static_cast<double>(edge.messages);
      const auto bytes = static_cast<double>(edge.bytes);
      all_[next[edge.from]++] = {edge.to, messages, bytes};
      all_[next[edge.to]++] = {edge.from, messages, bytes};
    }
  }
}

double message_seconds(const Instance& instance, const Neighbours& neighbours, const Plan& plan, std::uint32_t rank,
                       std::uint32_t worker) {
  double seconds = 0.0;
  for (const auto& [other, messages, bytes] : neighbours.of(rank)) {
    seconds += link_seconds(instance, distance_between(instance, worker, number(plan[other])), messages, bytes);
  }
  return seconds;
}

std::vector<double> message_seconds(const Instance& instance, const Neighbours& neighbours, const Plan& plan) {
  std::vector<double> seconds(instance.workers.size());
  for (std::uint32_t rank = 0; rank < plan.size(); ++rank) {
    const std::uint32_t worker = number(plan[rank]);
    seconds[worker] += message_seconds(instance, neighbours, plan, rank, worker);
  }
  return seconds;
}

}  // namespace weft::lb
