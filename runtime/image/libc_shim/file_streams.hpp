// Streams of files that the rank opens: the C library's FILE objects, placed in the rank's own memory so that they move
// with it. Streams of popen, fmemopen and similar functions stay in the process's memory.
#pragma once

#include <stdio.h>

#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {

// Whether it lies in the rank's memory, as standard streams do too.
inline bool is_ranks_own(const FILE* file) { return in_slot(file); }

// Like fopen and fdopen. The stream is held as a resource, in place of the descriptor if that was held before.
FILE* open_own_stream(const char* path, const char* mode);
FILE* open_own_stream(int descriptor, const char* mode);
// Like freopen and fclose. REQUIRES: in the rank's memory, and no standard stream.
FILE* reopen_own_stream(const char* path, const char* mode, FILE* file);
int close_own_stream(FILE* file);

// Whether ungetc() has pushed characters back, which lie in the process's memory. REQUIRES, here and below: in the
// rank's memory.
bool has_characters_pushed_back(const FILE* file);
// Frees that memory if the characters have been read.
void forget_characters_read(FILE* file);

}  // namespace weft::shim
