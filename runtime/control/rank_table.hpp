// The ranks of the job by number, as one process knows them, and how many of them live in it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/ids.hpp"
#include "runtime/control/rank.hpp"

namespace weft::runtime {
inline namespace control {

// The table is constant once all ranks are added; any thread may read and write the counts.
class RankTable {
 public:
  RankTable(std::uint32_t at_start, std::uint32_t universe) : at_start_(at_start), universe_(universe) {
    ranks_.reserve(universe);
  }
  // In the order of their numbers. `home` is null for a rank of another process.
  Rank& add(const JobContext& job, Worker* home, ProcessId process, Remote& to_others) {
    live += home == nullptr ? 0 : 1;
    ranks_.push_back(
        std::make_unique<Rank>(RankId{static_cast<std::uint32_t>(ranks_.size())}, job, home, process, to_others));
    return *ranks_.back();
  }

  Rank& operator[](std::uint32_t number) const { return *ranks_[number]; }
  std::uint32_t at_start() const { return at_start_; }
  // With all that may be spawned, whose numbers are those from at_start() on.
  std::uint32_t universe() const { return universe_; }

  // Whether the rank has a worker in this process and has not ended.
  static bool lives_here(const Rank& rank) {
    // Pairs with RankContext::set_ended(): a thread that sees that a rank has ended sees what it has left.
    return rank.worker.load(std::memory_order_relaxed) != nullptr && !rank.ended.load(std::memory_order_acquire);
  }

  std::atomic<std::uint32_t> live = 0;          // ranks in this process, of those that the job began with
  std::atomic<std::uint32_t> live_spawned = 0;  // spawned ranks in this process
  // On the coordinator: how many numbers of spawned ranks are in use in the job. A number is in use until its rank has
  // ended and has left nothing behind (Spawning::release_number()). Cannot rise from 0 while a rank that the job began
  // with is in a balancing step.
  std::atomic<std::uint32_t> spawned = 0;
  std::atomic<int> spawned_exit_code = 0;   // on the coordinator: the largest of spawned ranks, its lower eight bits
  std::atomic<std::uint32_t> ended = 0;     // in this process, since the job began
  std::atomic<std::uint32_t> reported = 0;  // value of `ended` that was last reported to the coordinator
  std::atomic<std::uint32_t> placement_version = 0;  // how often a balancing step has changed any rank's process

 private:
  const std::uint32_t at_start_;
  const std::uint32_t universe_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace control
}  // namespace weft::runtime
