// The balancing step: all ranks stop, process 0 decides, ranks move or are written to a checkpoint, all go on.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "lb/migbsp_history.hpp"
#include "lb/strategy.hpp"
#include "runtime/control/control_channel.hpp"
#include "runtime/job/job.hpp"
#include "runtime/lbstep/checkpoint.hpp"
#include "runtime/lbstep/folder_lock.hpp"
#include "runtime/lbstep/link_probe.hpp"
#include "runtime/lbstep/migration_image.hpp"
#include "runtime/lbstep/ram_files.hpp"
#include "runtime/lbstep/step_barrier.hpp"
#include "runtime/lbstep/step_messages.hpp"
#include "runtime/lbstep/step_tree.hpp"
#include "runtime/lbstep/supersteps.hpp"
#include "runtime/sched/lb_intervals.hpp"

namespace weft::runtime {

// What each process does in a step, in this order:
//  1. Its last rank arrives: it tells process 0 so, with the loads of its ranks; or, where the strategy decides in
//     parts, takes its part in the decision (step_tree.hpp).
//  2. Process 0 has heard all: the strategy decides, all hear the plan. Without any move, ranks go on.
//  3. If ranks change their process, nothing may be under way: each process tells each other one that it has sent
//     everything (a marker, which comes last in the channel), lets its workers empty their inboxes, waits for the
//     payloads that it reads, which answers their senders, and does the same once more for these answers.
//  4. The gate opens. A rank that moves to another worker goes; one that moves to another process becomes a parcel
//  there.
//  5. When all ranks that live here now are here and all that have left are there, it tells process 0; when all have,
//     ranks go on.
// A checkpoint is a step in which every rank becomes a parcel that is written to a file, and goes on where it was. In
// another job, which restores it, all ranks come out of such a step.

class Step final : public ControlHandler {
 public:
  Step(Cluster& cluster, ControlChannel& control);
  ~Step() override;

  // Job::migrate(), for all ranks of the job: true when the rank has moved. Nothing of the caller's that lies outside
  // the rank's own memory may be used afterwards.
  static bool run(Rank& me, const StepOptions& options);
  // Main thread of every process, before any rank runs: takes the ranks in that live here. Ends the job where the
  // checkpoint is not one of this program.
  void restore();
  // The next step that process 0 decides writes a checkpoint to JobConfig::checkpoint. Any thread; signal-safe.
  void request_checkpoint() { checkpoint_requested_.store(true, std::memory_order_relaxed); }
  // The next step prints the table of all steps so far. Process 0; any thread; signal-safe.
  void request_summary() { summary_requested_.store(true, std::memory_order_relaxed); }

  // From now on no step is made, and ranks that wait in one go on: ranks of other worlds will not come to one. Any
  // thread; in every process before any rank is spawned.
  void hold();
  // The same, in all processes, as the threads of a rank begin to call: on that rank's worker, while it is in no step.
  void hold_for_threads();
  // Some time later, for a rank that is in one: what has been decided is done before. Any thread.
  void wish_to_hold();
  bool held() const { return held_.load(std::memory_order_acquire); }

  // Null where process 0 decides alone.
  const StepTree* tree() const { return tree_.get(); }
  // What messages cost, as far as that is known. While the rank that asks is in no step.
  lb::Links links() const;
  // Null where the strategy does not look at them.
  Supersteps* supersteps() { return supersteps_.get(); }

  void reads_ended();                             // no payload is being read any more
  void has_left(const Worker& from, Rank& rank);  // its worker has switched away from it

 private:
  void on_control(ProcessId from, ControlKind kind, std::span<const std::byte> body) override;
  enum class Flush : std::uint8_t { none, messages, inboxes, answers, last_inboxes };
  struct Fence;
  struct Installation;
  struct Offer {
    ProcessId from;
    MigrationImage image;
  };

  void arrive(Rank& me, const StepOptions& options);
  void tell_loads(const Rank& last, const StepOptions& options);
  void add_workers(StepArrival& arrival);
  StepArrival empty_arrival();
  void on(ProcessId from, const StepArrival& arrival);
  void on(ProcessId from, const StepPlan& plan);
  void on(ProcessId from, const FlushMarker& marker);
  void on(ProcessId from, MigrationImage& image);
  void on(ProcessId from, const RankInstalled& installed);
  void on(ProcessId from, const CheckpointPart& part);
  void on(ProcessId from, const MovesDone& done);
  void on(ProcessId from, const StepOver& over);
  void on(ProcessId from, const HoldRequest& request);
  void on(ProcessId from, const HoldSteps& hold);
  void note_workers(const StepArrival& arrival);
  void note_supersteps(const RankReport& report);
  void on_found(Found& found);
  void on_links(const lb::Links& links);
  void post_decision();
  void decide();
  std::string checkpoint_due();
  std::vector<NewHome> balance();
  void end_decision(bool moves);
  void pay();
  void advance();  // the flush, as far as it goes
  void fence_inboxes();
  void open(std::uint64_t gate);
  void start_moves();
  void take_offers();
  void part_done();
  bool leaves(const Rank& rank) const;  // becomes a parcel
  MigrationImage pack(Rank& rank);
  void send(Rank& rank);
  void install(const MigrationImage& image, ProcessId from);
  void save(Rank& rank);
  void save_all();
  void resume(Rank& rank, std::span<const std::byte> state, Worker& worker);
  void publish();
  // Takes the folder's lock, for the rest of the job; where another job has it `why` says so.
  bool lock(const std::string& folder, std::string& why);
  void go_on();
  void grant_hold();
  void hold(const char* why);

  Cluster& cluster_;
  ControlChannel& control_;
  std::atomic<std::uint32_t> arrived_ = 0;
  StepBarrier barrier_;
  std::atomic<std::uint32_t> unfinished_ = 0;
  std::atomic<bool> held_ = false;
  std::atomic<bool> checkpoint_requested_ = false;
  std::atomic<bool> summary_requested_ = false;
  std::vector<std::uint64_t> bytes_;  // by rank: each one's own, written before it arrives
  const std::unique_ptr<Supersteps> supersteps_;

  // Guarded by the lock (ControlHandler).
  std::uint64_t steps_ = 0;
  std::vector<std::uint32_t> planned_;  // by rank: the new worker, through the whole job
  std::vector<std::uint32_t> changed_;  // the ranks that move
  bool crosses_ = false;                // one of them to another process
  std::string checkpoint_;              // where they are written to; empty: nowhere
  Flush flush_ = Flush::none;
  std::array<std::uint32_t, 2> markers_{};
  bool moving_ = false;  // ranks leave and come
  std::vector<Offer> offers_;
  std::uint32_t fences_ = 0;  // inboxes that are not empty yet

  WorkerIntervals windows_;  // of the one thread that tells the loads

  std::vector<Rank*> saved_;  // main thread's: those that wait to be written
  RamFiles ram_files_;        // main thread's

  LinkProbe probe_;
  const std::unique_ptr<StepTree> tree_;  // null where process 0 decides alone

  // Process 0's.
  Found found_;               // where the step is decided in parts
  bool deciding_ = false;     // all ranks have come, and those that move are not all there yet
  bool wished_hold_ = false;  // by threads of ranks that are in the step
  lb::Instance instance_;
  std::vector<lb::Superstep> supersteps_heard_;
  std::vector<IntervalLoad> windows_heard_;  // by worker
  std::uint64_t call_ = 0;                   // of migrate(), which this step is
  bool balanced_ = false;                    // the balancer has planned in this step
  std::uint64_t began_ = 0;                  // ticks: when this step's decision did
  bool wants_balance_ = true;
  std::string wanted_checkpoint_;
  std::string pinned_;                 // a rank that cannot be packed, and why
  std::vector<std::uint32_t> wanted_;  // by rank: a worker, or Rank::kAnyWorker
  std::uint32_t ranks_heard_ = 0;
  std::uint32_t parts_done_ = 0;
  CheckpointIndex index_;                           // of the checkpoint that is being written
  std::string failure_;                             // why that cannot be
  std::string published_;                           // where the last one is
  std::vector<std::shared_ptr<FolderLock>> locks_;  // of the folders that have been written to
};

}  // namespace weft::runtime
