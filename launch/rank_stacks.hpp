// Groups the ranks of a process by what they do and where, for `weft stacks`.
#pragma once

#include "inspect/messages.hpp"
#include "launch/rank_samples.hpp"

namespace weft::launch {

// Ranks whose frames of the program are the same, in the same call, are one group; the largest first. Weft's own frames
// are left out but for the function that the program has called.
inspect::Stacks group_samples(const RankSamples& samples);

}  // namespace weft::launch
