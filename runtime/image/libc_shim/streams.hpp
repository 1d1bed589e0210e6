// The rank's standard streams, and the descriptors that they stand for.
#pragma once

#include <stdio.h>
#include <sys/types.h>

namespace weft::shim {

// 0, 1 or 2 if the stream is one of the rank's own; else -1.
int standard_descriptor(const FILE* file);
inline bool is_standard(int descriptor) { return descriptor >= 0 && descriptor <= 2; }

// Write to or read from the descriptor for which 0 to 2 stand: the job's, unless the rank redirected it. Like write(2)
// and read(2).
ssize_t write_standard(int descriptor, const void* bytes, size_t n);
ssize_t read_standard(void* bytes, size_t n);

// Writes the buffered lines of all ranks: call it before a child is created that may print too.
void flush_job_output();
// From now on the rank's output is written at once, since it has its own descriptor for the job's output.
void stop_output_buffering();

// From now on the standard descriptor stands for this descriptor of the rank, which is held and then belongs to the
// stream. In a forked child the standard descriptor becomes a copy of it, and the descriptor is closed.
void redirect(int standard, int descriptor);
// From now on it stands for this descriptor of the job, 0 to 2.
void restore(int standard, int job);
// For a forked child: makes its descriptors 0 to 2 copies of those for which they stood in the rank. From then on they
// are ordinary descriptors, which the programs that the child executes inherit. Rank 0 alone reads the job's standard
// input: where another rank has not redirected it, its child reads /dev/null.
void own_standard_descriptors();
// The descriptor of the job for which it stands while the rank has not redirected it, 0 to 2.
int descriptor_of_job(int standard);
// The descriptor for which a standard descriptor stands; any other descriptor is returned unchanged.
int real_descriptor(int descriptor);

}  // namespace weft::shim
