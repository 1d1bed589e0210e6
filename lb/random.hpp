// The strategy `random`, for tests.
#pragma once

#include <cstdint>

#include "lb/strategy.hpp"

namespace weft::lb {

// Every rank that may move goes to a worker determined by the seed and the rank's number. For tests.
class Random final : public Strategy {
 public:
  explicit Random(std::uint64_t seed = 1) : seed_(seed) {}
  [[nodiscard]] Plan solve(const Instance& instance) const override;

 private:
  std::uint64_t seed_;
};

// One step of SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
inline std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

}  // namespace weft::lb
