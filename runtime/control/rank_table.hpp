// The ranks of the job by number, as one process knows them, and how many of them live here.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/ids.hpp"
#include "runtime/control/rank.hpp"

namespace weft::runtime {
inline namespace control {

// The ranks are constant after construction, the counts are for any thread.
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
  // Those, and all that may be spawned: the numbers from at_start() on.
  std::uint32_t universe() const { return universe_; }

  // Of the rank with a worker here that has not ended.
  static bool lives_here(const Rank& rank) {
    // Pairs with the release store in RankContext::set_ended(): who sees that a rank has ended sees what it left.
    return rank.worker.load(std::memory_order_relaxed) != nullptr && !rank.ended.load(std::memory_order_acquire);
  }

  std::atomic<std::uint32_t> live = 0;          // in this process, of those that the job began with
  std::atomic<std::uint32_t> live_spawned = 0;  // likewise, of the others
  // The coordinator's: numbers in the whole job of ranks that were spawned and have not ended, or have left something
  // behind. While a rank that the job began with is in a balancing step it cannot rise from 0.
  std::atomic<std::uint32_t> spawned = 0;
  std::atomic<int> spawned_exit_code = 0;     // the coordinator's: the largest of those that have ended, eight bits
  std::atomic<std::uint32_t> ended = 0;       // here, since the job began
  std::atomic<std::uint32_t> reported = 0;    // of those, to the coordinator
  std::atomic<std::uint32_t> placements = 0;  // how often a balancing step has changed any rank's process

 private:
  const std::uint32_t at_start_;
  const std::uint32_t universe_;
  std::vector<std::unique_ptr<Rank>> ranks_;
};

}  // namespace control
}  // namespace weft::runtime
