#include "runtime/lbstep/coordinator_role.hpp"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "base/say.hpp"
#include "runtime/control/cluster.hpp"
#include "runtime/control/control_channel.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/sched/main_thread.hpp"
#include "runtime/setup/config.hpp"

namespace weft::runtime {
inline namespace lbstep {

CoordinatorRole::CoordinatorRole(const JobContext& job, ControlHandler& step, Balancer& balancer,
                                 std::function<void()> measure)
    : job_(job),
      step_(step),
      balancer_(balancer),
      measure_(std::move(measure)),
      machine_(job.ranks.at_start(), job.cluster.process_count(), !job.config.restart.empty(), *this),
      decision_(job, balancer),
      checkpoints_(job),
      restores_(!job.config.restart.empty()) {}

Coordinator::Next CoordinatorRole::next() {
  if (!decision_.wants_balance()) {
    return Coordinator::Next::decide_now;
  }
  if (!balancer_.links_known()) {
    return Coordinator::Next::measure_links;
  }
  return balancer_.decider().strategy().wants_edges() ? Coordinator::Next::decide_later : Coordinator::Next::decide_now;
}

void CoordinatorRole::post_decision() {
  job_.main_thread.post([this] {
    const ControlHandler::Guard guard(step_);
    machine_.decide();
  });
}

Coordinator::Outcome CoordinatorRole::make_plan(std::uint64_t step) {
  StepFacts facts = decision_.facts();
  facts.step = step;
  facts.spawned = job_.ranks.spawned.load() != 0;
  ask_to_shrink(facts);
  plan_ = decision_.decide(checkpoints_.begin_step(facts), !facts.spawned);
  plan_.image = checkpoints_.image();
  plan_.next_image = checkpoints_.next_image(facts.call);
  if (summary_requested_.exchange(false)) {
    print_summary();
  }
  if (!plan_.checkpoint.empty()) {
    return Coordinator::Outcome::ranks_are_saved;
  }
  return plan_.moves ? Coordinator::Outcome::ranks_move : Coordinator::Outcome::nothing_moves;
}

// Requests that processes with a pending evacuation be removed. A request for a number of processes takes precedence.
void CoordinatorRole::ask_to_shrink(const StepFacts& facts) {
  const auto& request = job_.config.resize_request;
  if (facts.evacuating.empty() || !request || !request->wanted().empty()) {
    return;
  }
  auto rest = placement::without_processes(job_.config.processes, facts.evacuating);
  const std::string why = job_.config.why_not_changed(rest);
  if (why.empty()) {
    request->ask(std::move(rest));
  } else {
    const std::uint32_t processes = job_.cluster.process_count();
    base::say(fmt::format("weft: AMPI_Evacuate: the job keeps its {} process{}: {}\n", processes,
                          processes == 1 ? "" : "es", why));
  }
}

// Printing needs more stack than a rank may have.
void CoordinatorRole::print_summary() {
  job_.main_thread.post([this] {
    const ControlHandler::Guard guard(step_);
    std::fputs(balancer_.table().c_str(), stderr);
  });
}

void CoordinatorRole::send_plan() { job_.control.send_control_to_all(std::move(plan_)); }

void CoordinatorRole::moves_over() {
  if (job_.config.restart_lock) {
    job_.config.restart_lock->release();
  }
  if (std::exchange(restores_, false) && job_.config.ranks_resumed) {
    job_.config.ranks_resumed();
  }
  decision_.moves_over();
}

// Files are written on the main thread: a rank's own stack may be too small. No other thread uses the schedule
// meanwhile.
void CoordinatorRole::post_publication() {
  job_.main_thread.post([this] {
    checkpoints_.publish();
    const ControlHandler::Guard guard(step_);
    machine_.on_published();
  });
}

void CoordinatorRole::send_all_restored() { job_.control.send_control_to_all(AllRestored{}); }

void CoordinatorRole::send_step_over() { job_.control.send_control_to_all(StepOver{}); }

void CoordinatorRole::send_disable() { job_.control.send_control_to_all(DisableSteps{}); }

}  // namespace lbstep
}  // namespace weft::runtime
