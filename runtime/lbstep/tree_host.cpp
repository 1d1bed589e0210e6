#include "runtime/lbstep/tree_host.hpp"

#include <array>
#include <string>
#include <utility>

#include "base/check.hpp"

namespace weft::runtime {
inline namespace lbstep {

TreeHost::TreeHost(const TreeShape& shape, TreeChannel& channel, const lb::Strategy& outer, const lb::Decider& decider,
                   std::function<void(StepSums&)> decide)
    : shape_(shape), channel_(channel), outer_(outer), decider_(decider), decide_(std::move(decide)) {}

void TreeHost::allow(bool allowed, ControlKind kind) const {
  if (!allowed) [[unlikely]] {
    constexpr std::array kNames{"gathering", "summed", "leaving", "placing", "collecting", "reported"};
    base::fail("a host's part of a hierarchical step: " + std::string(info_of(kind).name) + " in state " +
               kNames[static_cast<std::size_t>(state_)]);
  }
}

void TreeHost::on(std::uint32_t from, TreeSummary& message) {
  allow(shape_.leads() && state_ == State::gathering, TreeSummary::kKind);
  summaries_[from] = std::move(message.summary);
}

void TreeHost::on(TreeHostTargets& message) {
  allow(state_ == State::summed && !targets_, TreeHostTargets::kKind);
  targets_ = std::move(message.targets);
}

void TreeHost::on(std::uint32_t from, TreeMigrantsOfHost& message) {
  allow(state_ == State::summed || state_ == State::leaving, TreeMigrantsOfHost::kKind);
  migrants_[shape_.host_of[from]] = std::move(message.clusters);
}

void TreeHost::on(TreePlacements& message) {
  allow(state_ == State::leaving || state_ == State::placing, TreePlacements::kKind);
  ++answers_;
  for (const lb::Target& target : message.placements) {
    placements_[target.process].push_back(target);
  }
}

void TreeHost::on(TreeSums& message) {
  allow(state_ == State::collecting || (shape_.is_root() && state_ != State::gathering && state_ != State::reported),
        TreeSums::kKind);
  sums_.add(message.sums);
}

bool TreeHost::advance() {
  switch (state_) {
    case State::gathering:
      return sum();
    case State::summed:
      return leave();
    case State::leaving:
      return place();
    case State::placing:
      return send_targets();
    case State::collecting:
      return report();
    case State::reported:
      return false;
  }
  return false;
}

bool TreeHost::sum() {
  if (!shape_.leads() || summaries_.size() < shape_.hosts[shape_.host].size()) {
    return false;
  }
  state_ = State::summed;
  std::vector<lb::Summary> summaries;
  for (auto& [process, summary] : summaries_) {
    summaries.push_back(std::move(summary));
  }
  host_.emplace(shape_.hosts[shape_.host], std::move(summaries));
  channel_.send(TreeShape::kRoot, TreeHostSummary{.summary = host_->summary()});
  return true;
}

bool TreeHost::leave() {
  if (!targets_) {
    return false;
  }
  state_ = State::leaving;
  for (auto& [there, clusters] : host_->extract_departing(shape_.host, targets_->to)) {
    ++visited_;
    channel_.send(shape_.leader_of(there), TreeMigrantsOfHost{.clusters = std::move(clusters)});
  }
  return true;
}

bool TreeHost::place() {
  if (migrants_.size() < targets_->senders) {
    return false;
  }
  state_ = State::placing;
  std::vector<lb::MigrantCluster> migrants;
  for (const auto& [from, theirs] : migrants_) {
    migrants.insert(migrants.end(), theirs.begin(), theirs.end());
  }
  lb::Instance costs;
  costs.links = decider_.links();
  costs.seconds_per_move = targets_->per_move;
  costs.seconds_per_moved_byte = targets_->per_byte;
  std::map<std::uint32_t, std::vector<lb::Target>> answers;  // by host
  for (const lb::Target& target : host_->assign_to_processes(outer_, costs, shape_.host_of.size(), migrants)) {
    if (target.to != target.process) {
      senders_[target.to].insert(target.process);
    }
    if (shape_.host_of[target.process] == shape_.host) {
      placements_[target.process].push_back(target);
    } else {
      answers[shape_.host_of[target.process]].push_back(target);
    }
  }
  for (auto& [host, placements] : answers) {
    channel_.send(shape_.leader_of(host), TreePlacements{.placements = std::move(placements)});
  }
  return true;
}

bool TreeHost::send_targets() {
  if (answers_ < visited_) {
    return false;
  }
  state_ = State::collecting;
  for (const std::uint32_t process : shape_.hosts[shape_.host]) {
    ProcessTargets targets{.to = {},
                           .senders = static_cast<std::uint32_t>(senders_[process].size()),
                           .per_move = targets_->per_move,
                           .per_byte = targets_->per_byte};
    const std::vector<lb::Target>& placements = placements_[process];
    targets.to.resize(placements.size());
    for (const lb::Target& target : placements) {
      targets.to[target.index] = target.to;
    }
    channel_.send(process, TreeTargets{.targets = std::move(targets)});
  }
  return true;
}

bool TreeHost::report() {
  if (sums_.processes < (shape_.is_root() ? shape_.host_of.size() : shape_.hosts[shape_.host].size())) {
    return false;
  }
  state_ = State::reported;
  StepSums sums = std::move(sums_);
  if (shape_.is_root()) {
    decide_(sums);
  } else {
    channel_.send(TreeShape::kRoot, TreeSums{.sums = std::move(sums)});
  }
  return true;
}

void TreeHost::ended() {
  state_ = State::gathering;
  summaries_.clear();
  host_.reset();
  targets_.reset();
  migrants_.clear();
  visited_ = 0;
  answers_ = 0;
  placements_.clear();
  senders_.clear();
  sums_ = {};
}

}  // namespace lbstep
}  // namespace weft::runtime
