// A rank of the job, with what the layers above communication know of it.
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
  int exit_code = 0;

  // The continuous balancer's: see location/continuous_balancer.hpp.
  std::uint64_t given_at = 0;        // ticks, when it last changed its worker that way
  std::uint64_t given_switches = 0;  // and Load::switches then
  std::uint64_t recorded_at = 0;     // of an exposed one: ticks of its worker's last event for the timeline
  bool moved_temporarily = false;    // by a temporary move: `planned` is where it belongs
  std::atomic<std::uint32_t> planned = kAnyWorker;  // the worker of this process that it is to be given to

  // How often it has changed its worker. Written by who has the rank; any thread may read.
  std::atomic<std::uint32_t> moves = 0;
  void count_move() { moves.store(moves.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

  // MPI calls that have come to their end, without those that only ask whether something has come; counted with
  // --stall (mpi_shim/entry). Written by who has the rank; any thread may read.
  std::atomic<std::uint64_t> completed_calls = 0;
  void count_completed_call() {
    completed_calls.store(completed_calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  // What the program asks of the next balancing step.
  std::atomic<bool> migratable = true;       // the balancer may move it
  std::uint32_t wanted_worker = kAnyWorker;  // through the whole job; goes before `migratable` and the strategy
  // Where the rank asks to be, given where it is, or kAnyWorker. The request ends with it.
  std::uint32_t take_wanted(std::uint32_t home) {
    const std::uint32_t wanted = std::exchange(wanted_worker, kAnyWorker);
    return wanted == kAnyWorker && !migratable ? home : wanted;
  }
  const char* pinned_because = nullptr;  // why it could not be packed when it last came to a step, or null
  std::uint64_t migrate_calls = 0;       // a barrier can be one: 32 bits last half an hour
  std::uint64_t steps = 0;               // balancing steps so far

  // For recordings: see control/computing.hpp and lbstep/recorded_call.hpp.
  std::uint64_t computing_since = 0;  // what it had cost when it left its last call
  std::uint64_t recorded_calls = 0;   // of MPI_Migrate

  // Of a rank that was spawned. A number that no rank has at the moment is dormant: no rank of the job.
  std::shared_ptr<const World> world;
  std::uint32_t place = 0;  // in its world

  const JobContext& job_context;  // of the process that this object belongs to
};

// What the scheduler and communication hand up as their own part of a rank. Every one of a job is a Rank.
inline Rank& rank_of(RankContext& context) { return static_cast<Rank&>(context); }
inline const Rank& rank_of(const RankContext& context) { return static_cast<const Rank&>(context); }
// The rank whose fibre calls; null on other threads and stacks. Read anew after every suspension.
inline Rank* current_rank() { return static_cast<Rank*>(current_context()); }

}  // namespace control
}  // namespace weft::runtime
