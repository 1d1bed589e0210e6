#include "runtime/lbstep/step_tree.hpp"

#include <set>
#include <utility>

#include "runtime/control/rank_table.hpp"
#include "runtime/lbstep/step_messages.hpp"
#include "runtime/sched/main_thread.hpp"

namespace weft::runtime {
inline namespace lbstep {

StepTree::StepTree(const JobContext& job, ControlHandler& step_part, const lb::Hierarchical& strategy,
                   const Balancer& balancer, Calls calls)
    : job_(job),
      step_part_(step_part),
      empty_(std::move(calls.empty)),
      wants_edges_(strategy.wants_edges()),
      shape_(job),
      channel_(job.control, shape_),
      member_(job, channel_, strategy.inner(), balancer, std::move(calls.measure)),
      host_(shape_, channel_, strategy.outer(), balancer.decider(), std::move(calls.decide)),
      root_(shape_, channel_, strategy.outer(), balancer.decider()) {}

void StepTree::begin(std::uint64_t step, const StepArrival& arrival) {
  channel_.set_step(step);
  begin_here(arrival);
  go_on();
}

void StepTree::begin_here(const StepArrival& arrival) {
  wake_processes_without_ranks();
  member_.begin(arrival);
}

// These processes do not know of the step yet. Process 0 sends a message to the hosts, and each host to its processes.
void StepTree::wake_processes_without_ranks() {
  std::set<std::uint32_t> asleep;
  if (shape_.is_root()) {
    for (std::uint32_t h = 0; h < shape_.hosts.size(); ++h) {
      asleep.insert(shape_.leader_of(h));
    }
  }
  if (shape_.leads()) {
    asleep.insert(shape_.hosts[shape_.host].begin(), shape_.hosts[shape_.host].end());
  }
  for (std::uint32_t r = 0; r < job_.ranks.at_start() && asleep.size() > 1; ++r) {
    asleep.erase(number(job_.ranks[r].process));
  }
  asleep.erase(shape_.self);
  for (const std::uint32_t process : asleep) {
    channel_.send(process, TreeBegun{});
  }
}

// A process without ranks learns of the step by its first message.
void StepTree::begin_without_ranks() {
  if (member_.state() == TreeMember::State::idle && job_.ranks.live.load() == 0) {
    begin_here(empty_());
  }
}

// A strategy that uses messages takes long, and may need more stack than a rank has.
void StepTree::go_on() {
  if (!wants_edges_) {
    advance();
    return;
  }
  job_.main_thread.post([this] {
    const ControlHandler::Guard guard(step_part_);
    advance();
  });
}

void StepTree::advance() {
  while (member_.advance() || host_.advance() || root_.advance()) {
  }
}

void StepTree::ended(lb::MoveScope scope, std::uint64_t call, std::span<const NewHome> changes,
                     std::uint64_t next_step) {
  member_.ended(scope, call, changes);
  host_.ended();
  root_.ended();
  for (const Later& later : std::exchange(later_, {})) {
    Messages::dispatch(later.kind, ControlBody(later.body),
                       [&](auto message) { on_message(later.from, next_step, message); });
  }
}

}  // namespace lbstep
}  // namespace weft::runtime
