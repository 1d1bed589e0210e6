// Ready ranks that a worker exposes before it runs another one, so that idle workers can steal them meanwhile.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace weft::runtime {
inline namespace sched {

class RankContext;

// The owner puts ranks in and withdraws them; any other worker steals them. The worker that takes a rank out has it.
class StealSlots {
 public:
  static constexpr std::size_t kSlots = 4;

  // The owner. REQUIRES: the slot is empty. Release: pairs with steal(): the thief sees what the owner did to the rank.
  void put(std::size_t slot, RankContext& rank) { slots_[slot].store(&rank, std::memory_order_release); }

  // The owner: takes out the rank that it has put there; null when that was stolen, or nothing was there.
  RankContext* withdraw(std::size_t slot) {
    // Acquire: pairs with steal(): the owner fills the slot again only after the thief has read it. Release: pairs with
    // steal(), which may find the slot empty or filled again.
    return slots_[slot].exchange(nullptr, std::memory_order_acq_rel);
  }

  // Another worker: takes out a rank; null when there is none.
  RankContext* steal() {
    for (std::atomic<RankContext*>& slot : slots_) {
      RankContext* rank = slot.load(std::memory_order_relaxed);
      if (rank == nullptr) {
        continue;
      }
      // Acquire: pairs with put(). Release: pairs with withdraw().
      if (slot.compare_exchange_strong(rank, nullptr, std::memory_order_acq_rel, std::memory_order_relaxed)) {
        return rank;
      }
    }
    return nullptr;
  }

 private:
  alignas(64) std::array<std::atomic<RankContext*>, kSlots> slots_ = {};
};

}  // namespace sched
}  // namespace weft::runtime
