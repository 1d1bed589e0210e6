// A rank of the job, with the state that the layers above communication keep for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/control/job_context.hpp"
#include "runtime/sync/member.hpp"

namespace weft::runtime {
inline namespace setup {
struct World;
}  // namespace setup

inline namespace control {

// Owned by one worker at a time.
class Rank : public Member {
 public:
  static constexpr std::uint32_t kAnyWorker = UINT32_MAX;

  // `home` is null for a rank of another process.
  Rank(RankId rank, const JobContext& its, Worker* home, ProcessId home_process, Remote& to_others)
      : Member(rank, home, home_process, to_others), job(its.job), job_context(its) {}

  Job& job;
  int exit_code = 0;  // the largest of all ranks that have had this number

  // The continuous balancer's: see location/continuous_balancer.hpp.
  std::uint64_t moved_at = 0;          // ticks, when it was last stolen or chosen for a temporary move
  std::uint64_t switches_at_move = 0;  // Load::switches when it last changed its worker
  std::uint64_t last_event_at = 0;     // while it is exposed: ticks of its worker's last timeline event
  bool moved_temporarily = false;      // by a temporary move: `target_worker` is where it goes back to
  std::atomic<std::uint32_t> target_worker = kAnyWorker;  // the worker of this process that it is to move to

  // How often it has changed its worker. Written by the worker that has the rank; any thread may read.
  std::atomic<std::uint32_t> moves = 0;
  void count_move() { moves.store(moves.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

  // Completed MPI calls, without those that only test for something, such as MPI_Test. Counted with --stall
  // (mpi_shim/entry). Written by the worker that has the rank; any thread may read.
  std::atomic<std::uint64_t> completed_calls = 0;
  void count_completed_call() {
    completed_calls.store(completed_calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  // What the program asks of the next balancing step.
  std::atomic<bool> migratable = true;       // the balancer may move it
  std::uint32_t wanted_worker = kAnyWorker;  // numbered through the job; overrides `migratable` and the strategy
  // The worker that the rank asks for, `home` if it may not move, else kAnyWorker.
  std::uint32_t wanted(std::uint32_t home) const {
    return wanted_worker == kAnyWorker && !migratable ? home : wanted_worker;
  }
  const char* pinned_because = nullptr;  // why it could not be packed at its last balancing step, or null
  std::uint64_t migrate_calls = 0;       // 64 bits: 32 could overflow in half an hour, if barriers are migration points
  std::uint64_t steps = 0;               // balancing steps so far

  // For recordings: see control/computing.hpp and lbstep/recorded_calls.hpp.
  std::uint64_t computing_since = 0;  // ticks that it had cost in all when it left its last call
  std::uint64_t recorded_calls = 0;   // of MPI_Migrate

  // Of a spawned rank. A Rank whose number is not in use is dormant: it is no rank of the job.
  std::shared_ptr<const World> world;  // null: one that the job began with
  std::uint32_t rank_in_world = 0;

  const JobContext& job_context;  // of the process that this object belongs to
};

// The Rank of a RankContext, which is all that the lower layers know of it: every RankContext of a job is a Rank.
inline Rank& rank_of(RankContext& context) { return static_cast<Rank&>(context); }
inline const Rank& rank_of(const RankContext& context) { return static_cast<const Rank&>(context); }
// The rank whose fibre calls; null on other threads and stacks. Read anew after every suspension.
inline Rank* current_rank() { return static_cast<Rank*>(current_context()); }

}  // namespace control
}  // namespace weft::runtime
