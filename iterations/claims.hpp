// After a process has died: what the ranks that live have done, and which of it counts. No MPI, no clock.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "iterations/ranges.hpp"

namespace weft::iterations {

// Of one rank.
struct Claim {
  RangeSet credited;
  RangeSet batch;  // reported, without a verdict
  RangeSet open;   // done since
};

std::vector<std::int64_t> pack(const Claim& claim);
// False if the words are no claim.
bool unpack(std::span<const std::int64_t> words, Claim& claim);

struct Verdict {
  RangeSet done;                                // what counts of all ranks
  std::vector<bool> batch_counts, open_counts;  // by rank: a set counts as a whole, as the rank's tallies are one sum
};

// Credited indices count first, then batches, then what is open, each by the order of the ranks. The indices of a rank
// that has died are in no claim: its tallies are lost, and so they are to be done again.
Verdict decide(std::span<const Claim> claims);

}  // namespace weft::iterations
