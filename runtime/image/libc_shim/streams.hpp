// The rank's standard streams, and the bytes behind them.
#pragma once

#include <stdio.h>
#include <sys/types.h>

namespace weft::shim {

// 0, 1 or 2 if the stream is one of the rank's own; else -1.
int standard_descriptor(const FILE* file);
inline bool is_standard(int descriptor) { return descriptor >= 0 && descriptor <= 2; }

// The bytes behind descriptors 0 to 2: the job's, unless the rank redirected them. As write(2) and read(2).
ssize_t write_standard(int descriptor, const void* bytes, size_t n);
ssize_t read_standard(void* bytes, size_t n);

// Writes what the job has gathered of the ranks' lines: before a child is made that may print, too.
void write_gathered();
// From now on all that the rank prints goes out at once: it has a descriptor of its own for the job's output.
void gather_no_more();

// From now on the standard descriptor stands for this one of the rank, which is held and which it then owns.
void redirect(int standard, int descriptor);
// From now on it stands for this one of the job's, 0 to 2.
void restore(int standard, int job);
// The descriptor that stands for a standard one, or the descriptor itself.
int behind(int descriptor);

}  // namespace weft::shim
