#include "runtime/lbstep/balancing_step.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/check.hpp"
#include "base/say.hpp"
#include "lb/hierarchical.hpp"
#include "runtime/control/cluster.hpp"
#include "runtime/control/control_channel.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/location/move.hpp"
#include "runtime/sched/thread_calls.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/setup/config.hpp"
#include "runtime/setup/upper_layer.hpp"
#include "runtime/sync/arrival.hpp"

namespace weft::runtime {
inline namespace lbstep {
namespace {

constexpr ProcessId kFirst{};

// Null where process 0 decides alone. In a job of one process it always does: there is nothing to gather.
std::unique_ptr<StepTree> make_tree(const JobContext& job, ControlHandler& step, const Balancer& balancer,
                                    StepTree::Calls calls) {
  const auto* const strategy = dynamic_cast<const lb::Hierarchical*>(&balancer.decider().strategy());
  if (strategy == nullptr || job.cluster.process_count() == 1) {
    return nullptr;
  }
  return std::make_unique<StepTree>(job, step, *strategy, balancer, std::move(calls));
}

std::unique_ptr<CoordinatorRole> make_coordinator(const JobContext& job, ControlHandler& step, Balancer& balancer,
                                                  std::function<void()> measure) {
  if (job.cluster.self() != kFirst) {
    return nullptr;
  }
  return std::make_unique<CoordinatorRole>(job, step, balancer, std::move(measure));
}

}  // namespace

BalancingStep::BalancingStep(const JobContext& job, Balancer& balancer)
    : ControlHandler(job.cluster.self()),
      job_(job),
      balancer_(balancer),
      loads_(job),
      recorded_calls_(job.config.record.empty() ? nullptr : std::make_unique<RecordedCalls>(job)),
      probe_(job, *this, [this](const lb::Links& links) { on_links(links); }),
      tree_(make_tree(job, *this, balancer,
                      {.empty = [this] { return loads_.without_ranks(); },
                       .decide = [this](StepSums& sums) { coordinator().on_sums(sums); },
                       .measure = [this] { probe_.start(balancer_.decider().links()); }})),
      participant_(job, *this, tree_.get()),
      coordinator_(make_coordinator(job, *this, balancer, [this] { probe_.start(balancer_.decider().links()); })) {
  participant_.set_next_balance(balancer.decider().next_call());
  job.control.set_handler(ControlPart::step, *this);
}

bool BalancingStep::run(Rank& me, const StepOptions& options) {
  keep_thread_in_region(*Worker::current());
  BalancingStep& step = step_of(me);
  if (step.is_disabled()) {
    return false;
  }
  me.in_step = true;
  ++me.steps;
  if (step.loads_.arrive(me, options)) {
    step.all_arrived(me, options);
  }
  StepBarrier& barrier = step.participant_.barrier();
  const std::uint64_t end = StepBarrier::end_of(me.steps);
  barrier.wait(me, StepBarrier::moves_of(me.steps));
  if (barrier.is_open(end)) {
    me.in_step = false;
    return false;  // nothing moves
  }
  const bool moved = move(me);
  // After a move to another process this is the new process's step.
  Rank& here = *current_rank();
  BalancingStep& new_step = step_of(here);
  new_step.participant_.part_done();
  new_step.participant_.barrier().wait(here, StepBarrier::end_of(here.steps));
  current_rank()->in_step = false;
  return moved;
}

// Moves the rank to where the plan says, and returns there.
bool BalancingStep::move(Rank& me) {
  BalancingStep& step = step_of(me);
  const JobContext& job = step.job_;
  Worker& worker = *Worker::current();
  const std::uint32_t first = job.cluster.first_worker(job.cluster.self());
  const std::uint32_t target = step.participant_.home_of(me);
  const bool moves = target != first + number(worker.id());
  const bool is_packed = step.participant_.is_packed(me);
  if (moves && job.upper_layer != nullptr) {
    job.upper_layer->about_to_move(me, is_packed);
  }
  if (moves || is_packed) {
    if (is_packed) {
      leave_worker(worker, me);
      worker.leave(me, [](Worker& from, RankContext& left) {
        step_of(rank_of(left)).participant_.has_left(from, rank_of(left));
      });
    } else {
      move_to(me, *job.workers[target - first]);
    }
  }
  Rank& arrived = *current_rank();
  if (UpperLayer* const upper_layer = step_of(arrived).job_.upper_layer; moves && upper_layer != nullptr) {
    upper_layer->just_moved(arrived, is_packed);
  }
  return moves;
}

// Every rank of this process waits at the barrier or is about to.
void BalancingStep::all_arrived(const Rank& last, const StepOptions& options) {
  StepArrival arrival = loads_.collect(last, options);
  const Guard guard(*this);
  if (!participant_.machine().on_all_arrived()) {
    return;
  }
  if (tree_ != nullptr && options.balance) {
    tree_->begin(participant_.machine().steps() + 1, arrival);
    return;
  }
  job_.control.send_control(kFirst, std::move(arrival));
}

void BalancingStep::on_control(ProcessId from, ControlKind kind, const ControlBody& body) {
  using Own = ControlMessages<StepArrival, StepPlan, FlushMarker, MigrationImage, RankInstalled, CheckpointPart,
                              MovesDone, AllRestored, StepOver, DisableRequest, DisableSteps, PredictionNote>;
  using All = Own::With<StepTree::Messages>::With<LinkProbe::Messages>;
  static_assert(All::are_all_of(ControlPart::step));
  All::dispatch(kind, body, [&](auto message) {
    using Message = decltype(message);
    if constexpr (StepTree::Messages::has(Message::kKind)) {
      base::check(tree_ != nullptr, "a message of a hierarchical step, where process 0 decides");
      tree_->on_message(from, participant_.machine().steps() + 1, message);
    } else if constexpr (LinkProbe::Messages::has(Message::kKind)) {
      probe_.on(from, message);
    } else {
      on(from, message);
    }
  });
}

Coordinator& BalancingStep::coordinator() {
  base::check(coordinator_ != nullptr, "a message for process 0 of a balancing step");
  return coordinator_->machine();
}

void BalancingStep::on(ProcessId /*from*/, const StepArrival& arrival) { coordinator().on_arrival(arrival); }

void BalancingStep::on(ProcessId /*from*/, const StepPlan& plan) { participant_.machine().on_plan(plan); }

void BalancingStep::on(ProcessId /*from*/, const FlushMarker& marker) {
  participant_.flush().on_marker(marker.answers);
}

void BalancingStep::on(ProcessId from, MigrationImage& image) {
  participant_.machine().on_image(from, std::move(image));
}

void BalancingStep::on(ProcessId /*from*/, const RankInstalled& installed) {
  participant_.machine().on_installed(RankId{installed.rank});
}

void BalancingStep::on(ProcessId /*from*/, const CheckpointPart& part) { coordinator().on_part(part); }

void BalancingStep::on(ProcessId /*from*/, const MovesDone& /*done*/) { coordinator().on_moves_done(); }

void BalancingStep::on(ProcessId /*from*/, const AllRestored& /*all*/) { participant_.machine().on_all_restored(); }

void BalancingStep::on(ProcessId /*from*/, const StepOver& /*over*/) { participant_.machine().on_step_over(); }

void BalancingStep::on(ProcessId /*from*/, const DisableRequest& /*request*/) { coordinator().on_disable_request(); }

void BalancingStep::on(ProcessId /*from*/, const DisableSteps& /*message*/) {
  disable("threads besides the main ones call MPI, or a main thread waits in an OpenMP region",
          "; calls by main threads alone, outside of such regions, would let them move");
}

void BalancingStep::on(ProcessId /*from*/, const PredictionNote& note) {
  balancer_.add_prediction(note.left, note.spread);
}

// Called in every process; the step continues.
void BalancingStep::on_links(const lb::Links& links) {
  balancer_.set_links(links);
  if (tree_ != nullptr) {
    tree_->links_known();
  } else if (coordinator_ != nullptr) {
    coordinator().on_links_known();
  }
}

void BalancingStep::restore() { participant_.restore(coordinator_ == nullptr ? nullptr : &coordinator_->machine()); }

void BalancingStep::request_checkpoint() {
  if (coordinator_ != nullptr) {
    coordinator_->request_checkpoint();
  }
}

void BalancingStep::note_prediction(double left, double spread) {
  if (!job_.config.lb_report.empty()) {
    job_.control.send_control(kFirst, PredictionNote{left, spread});
  }
}

void BalancingStep::report_no_step() const {
  if (coordinator_ != nullptr) {
    coordinator_->report_no_step();
  }
}

void BalancingStep::request_summary() {
  if (coordinator_ != nullptr) {
    coordinator_->request_summary();
  }
}

void BalancingStep::disable_for_threads() {
  if (!is_disabled()) {
    job_.control.send_control_to_all(DisableSteps{});
  }
}

void BalancingStep::request_disable() { job_.control.send_control(kFirst, DisableRequest{}); }

void BalancingStep::disable(const char* why, const char* remedy) {
  if (is_disabled()) {
    return;
  }
  participant_.machine().on_disable();
  if (coordinator_ == nullptr) {
    return;
  }
  coordinator().on_disable();
  balancer_.stop(why);
  if (job_.config.resize_request) {
    job_.config.resize_request->refuse_for_good(fmt::format("no image can be written: {}", why));
  }
  if (job_.config.lb != "none" || job_.config.saves_ranks()) {
    base::say(
        fmt::format("weft: {}: from here on ranks stay where they are, and neither a checkpoint nor an image of them "
                    "is written{}\n",
                    why, remedy));
  }
}

void BalancingStep::reads_ended() {
  const Guard guard(*this);
  participant_.flush().on_reads_ended();
}

}  // namespace lbstep
}  // namespace weft::runtime
