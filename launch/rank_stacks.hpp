// Groups the ranks of a process by what they do and where they do it, for `weft stacks`.
#pragma once

#include "inspect/messages.hpp"
#include "launch/rank_samples.hpp"

namespace weft::launch {

// Ranks in the same call whose frames of the program are the same form one group. The groups come in no particular
// order: `weft stacks` merges and sorts them. Weft's own frames are left out, except for the function that the program
// has called.
inspect::Stacks group_samples(const RankSamples& samples);

}  // namespace weft::launch
