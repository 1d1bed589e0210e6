#include "runtime/lbstep/participant_role.hpp"

#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "runtime/control/cluster.hpp"
#include "runtime/control/control_channel.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/control/ranks_ended.hpp"
#include "runtime/lbstep/step_tree.hpp"
#include "runtime/sched/main_thread.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/setup/config.hpp"
#include "runtime/setup/program.hpp"
#include "runtime/timeline/recorder.hpp"

namespace weft::runtime {
inline namespace lbstep {
namespace {

constexpr ProcessId kFirst{};

}  // namespace

// Passes through a worker's inbox: items before it have been delivered.
struct ParticipantRole::Fence : InboxItem {
  ParticipantRole* role = nullptr;
};

ParticipantRole::ParticipantRole(const JobContext& job, ControlHandler& step, StepTree* tree)
    : job_(job),
      step_(step),
      tree_(tree),
      machine_(!job.config.restart.empty(), *this),
      flush_(job.cluster.process_count(), *this),
      barrier_(job.workers),
      homes_(job.ranks.at_start()),
      checkpoint_(job) {}

std::uint32_t ParticipantRole::worker_of(const Rank& rank) const {
  return job_.cluster.first_worker(job_.cluster.self()) + number(rank.worker.load(std::memory_order_relaxed)->id());
}

bool ParticipantRole::is_packed(const Rank& rank) const {
  const std::uint32_t home = home_of(rank);
  return !folder_.empty() || job_.cluster.process_of(home) != job_.cluster.self() ||
         (job_.config.repack && home != worker_of(rank));
}

bool ParticipantRole::has_ranks() const { return job_.ranks.live.load() != 0; }

bool ParticipantRole::begin_step(std::uint64_t step, const StepPlan& plan) {
  set_next_balance(plan.next_balance);
  next_image_.store(plan.next_image, std::memory_order_relaxed);
  std::vector<NewHome> local_moves;
  if (tree_ != nullptr) {
    local_moves = plan.balanced ? tree_->local_moves_of(plan.scope) : local_moves;
    tree_->ended(plan.scope, plan.call, plan.changes, step + 1);
  }
  if (plan.balanced) {
    drop_requests();
  }
  if (!plan.moves && plan.checkpoint.empty()) {
    return false;
  }
  changed_.clear();
  crosses_ = false;
  restores_ = false;
  const bool is_image = CheckpointFiles::are_in_memory(plan.checkpoint);
  folder_ = is_image ? job_.config.image_files.at(plan.image) : plan.checkpoint;
  for (std::uint32_t r = 0; r < job_.ranks.at_start(); ++r) {
    if (const Rank& rank = job_.ranks[r]; RankTable::lives_here(rank)) {
      homes_[r] = worker_of(rank);
    }
  }
  change_homes(plan.changes);
  change_homes(local_moves);
  return crosses_ || job_.config.repack || !folder_.empty();
}

// The plan has followed what the ranks asked for. A step that writes a checkpoint instead leaves it to the next one.
void ParticipantRole::drop_requests() {
  for (std::uint32_t r = 0; r < job_.ranks.at_start(); ++r) {
    if (Rank& rank = job_.ranks[r]; RankTable::lives_here(rank)) {
      rank.wanted_worker = Rank::kAnyWorker;
    }
  }
}

void ParticipantRole::change_homes(const std::vector<NewHome>& changes) {
  for (const NewHome& change : changes) {
    homes_[change.rank] = change.worker;
    changed_.push_back(change.rank);
    crosses_ = crosses_ || job_.cluster.process_of(change.worker) != job_.ranks[change.rank].process;
  }
}

// All ranks of this process wait at the barrier. If ranks are packed, no message is in flight to any of them.
bool ParticipantRole::start_moves(std::uint64_t step) {
  const ProcessId self = job_.cluster.self();
  std::uint32_t leaving = 0;
  std::uint32_t coming = 0;
  for (const std::uint32_t r : changed_) {
    Rank& rank = job_.ranks[r];
    const ProcessId target = job_.cluster.process_of(homes_[r]);
    leaving += rank.process == self && target != self ? 1U : 0U;
    coming += rank.process != self && target == self ? 1U : 0U;
    rank.process = target;
  }
  if (crosses_) {
    // Pairs with Job::placement_version(): a caller that sees the new count sees where ranks live now.
    job_.ranks.placement_version.fetch_add(1, std::memory_order_acq_rel);
  }
  // Parts that must be done before this process's step is over: each rank that will live here arrives once more, each
  // rank that leaves is installed elsewhere, and a checkpoint's file is written.
  const std::uint32_t here = job_.ranks.live.load();
  const std::uint32_t parts = here + coming + (folder_.empty() || here == 0 ? 0 : 1);
  job_.ranks.live += coming;
  job_.ranks.live -= leaving;
  // If all ranks leave, none will end here later and report those that have ended before.
  report_ended_ranks(job_);
  // Pairs with part_done(), which ranks call only after the barrier has let them go on.
  unfinished_.store(parts, std::memory_order_release);
  if (leaving + coming != 0 && job_.config.ranks_moved) {
    job_.main_thread.post([this] { job_.config.ranks_moved(job_.job); });
  }
  barrier_.open(StepBarrier::moves_of(step));
  return parts != 0;
}

void ParticipantRole::part_done() {
  // Pairs with part_done() of the other threads: process 0 gets the message only when the parts of all of them are
  // done.
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    const ControlHandler::Guard guard(step_);
    machine_.on_moves_done();
  }
}

void ParticipantRole::send_moves_done() { job_.control.send_control(kFirst, MovesDone{}); }

void ParticipantRole::truncate_files() {
  job_.main_thread.post([this] {
    checkpoint_.truncate_files();
    const ControlHandler::Guard guard(step_);
    machine_.on_files_truncated();
  });
}

// Images that arrive while the main thread is busy are installed together.
void ParticipantRole::install(ProcessId from, MigrationImage image) {
  received_.push_back({from, std::move(image)});
  if (received_.size() == 1) {
    job_.main_thread.post([this] { install_all(); });
  }
}

// The homes do not change before these ranks have been installed.
void ParticipantRole::install_all() {
  std::vector<ReceivedImage> received;
  {
    const ControlHandler::Guard guard(step_);
    received = std::exchange(received_, {});
  }
  const ProcessId self = job_.cluster.self();
  for (const auto& [from, image] : received) {
    if (from != self) {
      job_.program.make_room(RankId{image.rank});
    }
  }
  read_memory(job_, received);
  const std::uint32_t first = job_.cluster.first_worker(self);
  for (const auto& [from, image] : received) {
    Rank& rank = job_.ranks[image.rank];
    if (from != self) {
      try {
        job_.program.finish_arrival(rank.id, restores_);
      } catch (const std::exception& error) {
        job_.abort(1, std::string("weftrun: ") + error.what());
        return;
      }
      job_.control.send_control(from, RankInstalled{image.rank});
    }
    resume_rank(job_, rank, image.state, *job_.workers[homes_[image.rank] - first]);
  }
}

// The program is told after part_done(), so the step does not wait for it. The main thread runs this before it can
// install the rank here again. By then the next step may have begun, which sets restores_; hence the copy.
void ParticipantRole::note_installed(RankId rank) {
  job_.main_thread.post([this, rank, was_restored = restores_] {
    part_done();
    was_restored ? job_.program.release_forwarded(rank) : job_.program.finish_departure(rank);
  });
}

void ParticipantRole::has_left(const Worker& from, Rank& rank) {
  if (Recorder* const recorder = from.recorder(); recorder != nullptr && folder_.empty()) {
    recorder->record_move(rank.id, homes_[number(rank.id)]);
  }
  job_.main_thread.post([this, &rank] { pack(rank); });
}

void ParticipantRole::pack(Rank& rank) {
  if (folder_.empty()) {
    if (rank.process != job_.cluster.self()) {
      checkpoint_.forget(rank);
    }
    job_.control.send_control(rank.process, pack_rank(job_, rank, rank.process != job_.cluster.self()));
  } else if (checkpoint_.add(rank)) {
    job_.control.send_control(kFirst, checkpoint_.write(folder_, machine_.steps()));
    part_done();
  }
}

void ParticipantRole::restore(Coordinator* coordinator) {
  // The step's state is complete before read() puts ranks into the inboxes of their workers: from there they continue
  // at once, like ranks that have moved.
  const CheckpointReader reader = checkpoint_.open();
  const std::uint64_t step = reader.index().steps;
  restores_ = true;
  job_.ranks.spawned_exit_code = reader.index().spawned_exit_code;
  for (std::uint32_t r = 0; r < job_.ranks.at_start(); ++r) {
    if (const Rank& rank = job_.ranks[r]; RankTable::lives_here(rank)) {
      homes_[r] = worker_of(rank);
    }
  }
  // Ranks that live here continue here; ranks that are read for other processes are installed there.
  const std::uint32_t parts = job_.ranks.live.load() + checkpoint_.begin_reading(reader);
  {
    const ControlHandler::Guard guard(step_);
    machine_.resume(step);
    if (coordinator != nullptr) {
      coordinator->resume(step);
    }
    barrier_.go_on_from(StepBarrier::moves_of(step));
    unfinished_.store(parts, std::memory_order_release);  // pairs with part_done()
    if (parts == 0) {
      machine_.on_moves_done();
    }
  }
  checkpoint_.read(reader);
}

void ParticipantRole::send_marker(bool second) { job_.control.send_control_to_all(FlushMarker{.answers = second}); }

void ParticipantRole::fence_inboxes() {
  fences_.store(static_cast<std::uint32_t>(job_.workers.size()), std::memory_order_relaxed);
  for (const auto& worker : job_.workers) {
    auto fence = std::make_unique<Fence>();
    fence->role = this;
    fence->deliver = [](Worker&, InboxItem& item) {
      const std::unique_ptr<Fence> ends(static_cast<Fence*>(&item));
      ParticipantRole& role = *ends->role;
      // Pairs with deliver() of the other workers' fences: what they have delivered before is visible.
      if (role.fences_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        const ControlHandler::Guard guard(role.step_);
        role.flush_.on_inboxes_empty();
      }
    };
    worker->inbox().push(*fence.release());
  }
}

// Pairs with end_read(): after the last one, what was read is in place and its sender has been answered.
bool ParticipantRole::reads_under_way() const {
  return job_.cluster.rendezvous_reads.load(std::memory_order_acquire) != 0;
}

}  // namespace lbstep
}  // namespace weft::runtime
