// This process's part of a balancing step: does what the state machines in participant.hpp and flush.hpp ask for.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/control/control_handler.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/control/rank.hpp"
#include "runtime/lbstep/coordinator.hpp"
#include "runtime/lbstep/flush.hpp"
#include "runtime/lbstep/participant.hpp"
#include "runtime/lbstep/step_barrier.hpp"
#include "runtime/lbstep/step_checkpoint.hpp"
#include "runtime/lbstep/tree_messages.hpp"

namespace weft::runtime {
inline namespace lbstep {

class StepTree;

class ParticipantRole final : private Participant::Actions, private Flush::Actions {
 public:
  // `step`: has the lock. `tree`: null where process 0 decides alone.
  ParticipantRole(const JobContext& job, ControlHandler& step, StepTree* tree);

  // Guarded by the step's lock.
  Participant& machine() { return machine_; }
  Flush& flush() { return flush_; }

  StepBarrier& barrier() { return barrier_; }
  const StepBarrier& barrier() const { return barrier_; }
  // The call of migrate() at which the strategy decides next. Called by any rank that is in no step.
  std::uint64_t next_balance() const { return next_balance_.load(std::memory_order_relaxed); }
  void set_next_balance(std::uint64_t call) { next_balance_.store(call, std::memory_order_relaxed); }
  // The call at which an image may be written next. Likewise.
  std::uint64_t next_image() const { return next_image_.load(std::memory_order_relaxed); }
  // For ranks that the barrier has let go on: the worker where the rank is to live, and whether it leaves its worker as
  // a migration image.
  std::uint32_t home_of(const Rank& rank) const { return homes_[number(rank.id)]; }
  bool is_packed(const Rank& rank) const;

  // One part of the moves is done: a rank has arrived at its new place, or one that left is installed elsewhere. Any
  // thread, without the lock.
  void part_done();
  // A rank that is to be packed has left this worker, whose thread calls.
  void has_left(const Worker& from, Rank& rank);
  // Called on the main thread before any rank runs: restores the ranks of a checkpoint, which come out of the step that
  // wrote it. `coordinator`: null except on process 0.
  void restore(Coordinator* coordinator);

 private:
  bool has_ranks() const override;
  bool begin_step(std::uint64_t step, const StepPlan& plan) override;
  void start_flush() override { flush_.start(); }
  bool start_moves(std::uint64_t step) override;
  void install(ProcessId from, MigrationImage image) override;
  void note_installed(RankId rank) override;
  void send_moves_done() override;
  void truncate_files() override;
  void end_step(std::uint64_t step) override { barrier_.open(StepBarrier::end_of(step)); }
  void open_for_good() override { barrier_.open_for_good(); }

  void send_marker(bool second) override;
  void fence_inboxes() override;
  bool reads_under_way() const override;
  void flush_over() override { machine_.on_flush_over(); }

  struct Fence;
  std::uint32_t worker_of(const Rank& rank) const;
  void drop_requests();
  void change_homes(const std::vector<NewHome>& changes);
  void install_all();
  void pack(Rank& rank);

  const JobContext& job_;
  ControlHandler& step_;
  StepTree* const tree_;
  Participant machine_;  // this and flush_: guarded by the step's lock
  Flush flush_;
  StepBarrier barrier_;
  std::atomic<std::uint64_t> next_balance_ = 1;
  std::atomic<std::uint64_t> next_image_ = 1;
  std::atomic<std::uint32_t> unfinished_ = 0;  // parts of the moves that are not done: see part_done()
  std::atomic<std::uint32_t> fences_ = 0;      // workers whose inbox the fence has not passed yet

  // Of the present step. Written under the lock before the barrier opens, then read by ranks.
  std::vector<std::uint32_t> homes_;    // by rank: its worker, numbered through the job
  std::vector<std::uint32_t> changed_;  // the ranks that move
  bool crosses_ = false;                // a rank moves to another process
  std::string folder_;                  // where the ranks are written to; empty: nowhere
  bool restores_ = false;               // the ranks that come and go are restored from a checkpoint

  std::vector<ReceivedImage> received_;  // images that are not installed yet; guarded by the lock

  StepCheckpoint checkpoint_;  // used by the main thread
};

}  // namespace lbstep
}  // namespace weft::runtime
