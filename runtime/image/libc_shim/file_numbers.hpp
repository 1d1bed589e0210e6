// The descriptor numbers of regular files: each rank has its own numbers, so that they stay valid wherever the rank
// goes.
#pragma once

#include "runtime/image/libc_shim/held_resources.hpp"

namespace weft::shim {

// If it is a descriptor of a regular file, moves it to one of the rank's own numbers, not below `least`, and closes the
// old number. Otherwise, or if no number is left, returns it unchanged: it then keeps the rank in its process.
int with_own_number(int descriptor, int least = 0);
bool is_own_number(int descriptor);
// The rank closes the descriptor: it is no longer held, and the next file may get its number.
void forget_descriptor(int descriptor);
// Only frees the number, for a descriptor of a stream.
void give_number_back(int descriptor);

// Duplicates the descriptor to exactly this number; -1 and errno if the number is in use or not allowed.
int duplicate_at(int descriptor, int number, bool close_on_exec);

// Notes a descriptor that the rank has opened, and gives it one of the rank's own numbers if possible. Returns its
// number.
int hold_descriptor(int descriptor, const char* name);
// hold_duplicate(): the same for a duplicate of another descriptor of the rank. note_duplicate(): for a duplicate whose
// number the program has chosen.
int hold_duplicate(int copy, int of, int least = 0);
void note_duplicate(int copy, int of);

}  // namespace weft::shim
