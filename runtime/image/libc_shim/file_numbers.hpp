// The numbers of descriptors of regular files: each rank has its own, so that they stay valid wherever the rank goes.
#pragma once

#include "runtime/image/libc_shim/holdings.hpp"

namespace weft::shim {

// The descriptor under a number of the rank's own, not below `least`, if it is one of a regular file; the old number is
// then closed. The same descriptor if it is none, or if no number is left: it keeps the rank where it is.
int with_own_number(int descriptor, int least = 0);
bool is_own_number(int descriptor);
// The rank closes the descriptor: it is not held any more, and the next file may have its number.
void let_go_descriptor(int descriptor);
// The second of these, for one that is behind a stream.
void give_number_back(int descriptor);

// A duplicate of the descriptor under exactly this number; -1 and errno if the number is in use or not allowed.
int duplicate_at(int descriptor, int number, bool close_on_exec);

// Notes a descriptor that the rank has opened, and gives it a number of the rank's own if it can; that number.
int held_descriptor(int descriptor, const char* name);
// The same for a duplicate of another descriptor of the rank; and for one whose number the program has chosen.
int held_duplicate(int copy, int of, int least = 0);
void note_duplicate(int copy, int of);

}  // namespace weft::shim
