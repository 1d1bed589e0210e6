#include "runtime/lbstep/tree_root.hpp"

#include <set>
#include <utility>

#include "base/check.hpp"

namespace weft::runtime {
inline namespace lbstep {

void TreeRoot::on(std::uint32_t from, TreeHostSummary& message) {
  base::check(shape_.is_root() && state_ == State::gathering,
              "process 0's part of a hierarchical step: tree_host_summary in state assigned");
  summaries_[shape_.host_of[from]] = std::move(message.summary);
}

bool TreeRoot::advance() {
  if (!shape_.is_root() || state_ == State::assigned || summaries_.size() < shape_.hosts.size()) {
    return false;
  }
  state_ = State::assigned;
  std::vector<HostTargets> targets = assign();
  const lb::Instance costs = decider_.costs();
  for (std::uint32_t h = 0; h < targets.size(); ++h) {
    targets[h].per_move = costs.seconds_per_move;
    targets[h].per_byte = costs.seconds_per_moved_byte;
    channel_.send(shape_.leader_of(h), TreeHostTargets{.targets = std::move(targets[h])});
  }
  return true;
}

std::vector<HostTargets> TreeRoot::assign() {
  std::vector<HostTargets> targets(shape_.hosts.size());
  if (targets.size() == 1) {
    return targets;  // all stay
  }
  std::vector<lb::Summary> summaries;
  for (auto& [host, summary] : summaries_) {
    summaries.push_back(std::move(summary));
  }
  const lb::Assignment assignment = lb::assign(outer_, summaries, decider_.costs(), shape_.host_of);
  for (std::uint32_t h = 0; h < targets.size(); ++h) {
    targets[h].to = assignment[h];
    std::set<std::uint32_t> there(assignment[h].begin(), assignment[h].end());
    there.erase(h);
    for (const std::uint32_t host : there) {
      ++targets[host].senders;
    }
  }
  return targets;
}

void TreeRoot::ended() {
  state_ = State::gathering;
  summaries_.clear();
}

}  // namespace lbstep
}  // namespace weft::runtime
