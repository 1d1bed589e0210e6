// Ready ranks that a worker lays out before it runs another one, for workers that run dry meanwhile.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weft::runtime {

class RankContext;

// The owner fills and clears it, any other worker takes: who finds a rank there has it.
class StealSlots {
 public:
  static constexpr std::size_t kPlaces = 4;

  // The owner, where it has cleared the place.
  void lay(std::size_t place, RankContext& rank) {
    laid_[place] = &rank;
    // Pairs with take(): the thief sees the rank as it was left.
    places_[place].store(reinterpret_cast<std::uintptr_t>(&rank), std::memory_order_release);
  }

  struct Cleared {
    RankContext* rank = nullptr;  // that was laid there; null: none
    bool taken = false;
    std::uint32_t taker = 0;
  };
  // The owner: what has become of it.
  Cleared clear(std::size_t place) {
    // Pairs with take(): the owner sees the thief's number, the thief what the owner did before.
    const std::uintptr_t state = places_[place].exchange(kNothing, std::memory_order_acq_rel);
    return state == kNothing ? Cleared{}
                             : Cleared{laid_[place], (state & kTaken) != 0, static_cast<std::uint32_t>(state / 2)};
  }

  // Another worker, by its number; null when nothing is there.
  RankContext* take(std::uint32_t taker) {
    for (std::atomic<std::uintptr_t>& place : places_) {
      std::uintptr_t state = place.load(std::memory_order_relaxed);
      // Pairs with lay() and clear().
      if (state != kNothing && (state & kTaken) == 0 &&
          place.compare_exchange_strong(state, std::uintptr_t{2} * taker + kTaken, std::memory_order_acq_rel,
                                        std::memory_order_relaxed)) {
        return reinterpret_cast<RankContext*>(state);
      }
    }
    return nullptr;
  }

 private:
  static constexpr std::uintptr_t kNothing = 0;
  static constexpr std::uintptr_t kTaken = 1;  // and twice the taker's number

  // A rank's address, which is even, or who took it.
  alignas(64) std::array<std::atomic<std::uintptr_t>, kPlaces> places_ = {};
  std::array<RankContext*, kPlaces> laid_ = {};
};

}  // namespace weft::runtime
