// Finds loops in a rank's actions, so that iterations are stored once.
#pragma once

#include <span>
#include <vector>

#include "sim/actions.hpp"

namespace weft::sim {

// Returns the same actions in the same order, with directly repeated sequences as loops. A compute action is never
// separated from the actions after it, up to the next compute action. REQUIRES: `actions` has no loops and no stop.
std::vector<Action> fold_loops(std::span<const Action> actions);

}  // namespace weft::sim
