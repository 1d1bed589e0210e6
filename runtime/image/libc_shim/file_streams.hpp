// Streams of files that the rank opens: the C library's FILE objects, but in the rank's own memory, so that they move
// with it. Those of popen, fmemopen and the like stay in the process's memory.
#pragma once

#include <stdio.h>

#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {

// Whether it lies in the rank's memory, as standard streams do, too.
inline bool is_ranks_own(const FILE* file) { return in_slot(file); }

// As fopen and fdopen. The stream is held; a descriptor that was held is not any more.
FILE* open_own_stream(const char* path, const char* mode);
FILE* open_own_stream(int descriptor, const char* mode);
// As freopen and fclose. REQUIRES: the rank's own, and no standard stream.
FILE* reopen_own_stream(const char* path, const char* mode, FILE* file);
int close_own_stream(FILE* file);

// By ungetc: such characters lie in the process's memory. REQUIRES of these two: the rank's own.
bool has_characters_pushed_back(const FILE* file);
// Gives that memory back where they have been read.
void forget_characters_read(FILE* file);

}  // namespace weft::shim
