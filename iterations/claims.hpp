// After a process has died: decides which work of the surviving ranks counts. Uses no MPI and no clock.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "iterations/ranges.hpp"

namespace weft::iterations {

// The iterations that one rank has done.
struct Claim {
  RangeSet credited;
  RangeSet batch;  // reported, neither credited nor refused yet
  RangeSet open;   // done since that report
};

std::vector<std::int64_t> pack(const Claim& claim);
// False if the words are no claim.
bool unpack(std::span<const std::int64_t> words, Claim& claim);

struct Verdict {
  RangeSet done;                                // the indices of all ranks that count
  std::vector<bool> batch_counts, open_counts;  // by rank: a set counts as a whole, as the rank's tallies are one sum
};

// Accepts credited indices first, then batches, then open sets, each in the order of the ranks. The indices of a rank
// that has died are in no claim: its tallies are lost, so they must be done again.
Verdict decide(std::span<const Claim> claims);

}  // namespace weft::iterations
