// Equal addresses in all processes of a job, so that ranks can move between them.
#pragma once

#include <span>

namespace weft::bootstrap {

// Switches address randomisation off and fixes the stack limit for the program that this process executes next. False
// where the system forbids it.
bool fix_addresses_of_next_image();

// Executes the program again with these arguments, without its name, if its addresses are not fixed yet; at most once.
// Returns if they are fixed or the system forbids it. Call it before anything that must not be done twice, and before
// the environment is checked: the second time it removes a variable of its own.
void fix_addresses(std::span<const char* const> arguments);

// Whether this process runs without address randomisation.
bool addresses_are_fixed();

}  // namespace weft::bootstrap
