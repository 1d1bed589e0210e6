#include "runtime/lbstep/tree_member.hpp"

#include <array>
#include <string>
#include <utility>

#include "base/check.hpp"

namespace weft::runtime {
inline namespace lbstep {

TreeMember::TreeMember(const JobContext& job, TreeChannel& channel, const lb::Strategy& inner, const Balancer& balancer,
                       std::function<void()> measure)
    : shape_(channel.shape()),
      channel_(channel),
      balancer_(balancer),
      measure_(std::move(measure)),
      process_(job, inner) {}

void TreeMember::allow(bool allowed, ControlKind kind) const {
  if (!allowed) [[unlikely]] {
    constexpr std::array kNames{"idle", "counting", "measuring", "summarized", "leaving", "placed"};
    base::fail("a process's part of a hierarchical step: " + std::string(info_of(kind).name) + " in state " +
               kNames[static_cast<std::size_t>(state_)]);
  }
}

void TreeMember::begin(const StepArrival& arrival) {
  base::check(state_ == State::idle, "a hierarchical step begins in a process that is in one");
  state_ = State::counting;
  process_.begin(arrival);
  if (balancer_.decider().strategy().wants_edges()) {
    auto sent = process_.sent();
    for (std::uint32_t p = 0; p < shape_.host_of.size(); ++p) {
      channel_.send(p, TreeReceived{.reports = std::move(sent[p])});
    }
  }
}

void TreeMember::on(std::uint32_t from, TreeReceived& message) {
  allow(state_ == State::idle || state_ == State::counting, TreeReceived::kKind);
  received_[from] = std::move(message.reports);
}

void TreeMember::on(TreeTargets& message) {
  allow(state_ == State::summarized && !targets_, TreeTargets::kKind);
  targets_ = std::move(message.targets);
}

void TreeMember::on(std::uint32_t from, TreeMigrants& message) {
  allow(state_ == State::summarized || state_ == State::leaving, TreeMigrants::kKind);
  migrants_[from] = std::move(message.ranks);
}

bool TreeMember::advance() {
  switch (state_) {
    case State::idle:
    case State::placed:
      return false;
    case State::counting:
    case State::measuring:
      return count();
    case State::summarized:
      return leave();
    case State::leaving:
      return place_arrivals();
  }
  return false;
}

bool TreeMember::count() {
  const bool wants_edges = balancer_.decider().strategy().wants_edges();
  if (wants_edges && received_.size() < shape_.host_of.size()) {
    return false;
  }
  if (wants_edges && !balancer_.links_known()) {  // all ranks of the job stand still: now it can be measured
    if (std::exchange(state_, State::measuring) == State::counting && shape_.is_root()) {
      measure_();
    }
    return false;
  }
  state_ = State::summarized;
  for (const auto& [from, reports] : received_) {
    if (from != shape_.self) {
      process_.received(from, reports);
    }
  }
  channel_.send(shape_.leader_of(shape_.host), TreeSummary{.summary = process_.summarize(balancer_.decider().links())});
  return true;
}

bool TreeMember::leave() {
  if (!targets_) {
    return false;
  }
  state_ = State::leaving;
  for (auto& [there, ranks] : process_.leave(*targets_)) {
    channel_.send(there, TreeMigrants{.ranks = std::move(ranks)});
  }
  return true;
}

bool TreeMember::place_arrivals() {
  if (migrants_.size() < targets_->senders) {
    return false;
  }
  state_ = State::placed;
  channel_.send(shape_.leader_of(shape_.host), TreeSums{.sums = process_.place_arrivals(migrants_)});
  return true;
}

void TreeMember::ended(lb::MoveScope scope, std::uint64_t call, std::span<const NewHome> changes) {
  if (state_ != State::idle) {
    for (auto& [there, ranks] : process_.ended(scope, call, changes)) {
      channel_.send(there, TreeHistory{.ranks = std::move(ranks)});
    }
  }
  state_ = State::idle;
  received_.clear();
  targets_.reset();
  migrants_.clear();
}

}  // namespace lbstep
}  // namespace weft::runtime
