// Finds loops in what a rank has done, so that its iterations are not written out.
#pragma once

#include <span>
#include <vector>

#include "sim/actions.hpp"

namespace weft::sim {

// The same actions in the same order, with loops for what is repeated at once. `actions` has no loops and no stop. Each
// compute action and what follows it up to the next one are kept together.
std::vector<Action> fold_loops(std::span<const Action> actions);

}  // namespace weft::sim
