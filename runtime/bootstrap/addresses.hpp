// Equal addresses in all processes of a job, so that ranks can move between them.
#pragma once

namespace weft::bootstrap {

// Switches address randomisation off and fixes the stack limit for the program that this process executes next. False
// where the system forbids it.
bool fix_addresses_of_next_image();

// Executes the program again with the same arguments if its addresses are not fixed yet; at most once. Returns if they
// are fixed or the system forbids it. Call it before anything else in main.
void fix_addresses(char** arguments);

// Whether this process runs without address randomisation.
bool addresses_are_fixed();

}  // namespace weft::bootstrap
