// Mappings of files that a rank only reads. They lie at the end of the rank's own addresses, behind its heap, and are
// made again where it goes: nothing of them travels.
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "runtime/image/libc_shim/mapped_ranges.hpp"

namespace weft::shim {

// mappings.cpp: where the program has put something else over the rank's addresses, or has changed their rights.
MappedRange<char*>*& other_ranges();

// Fresh memory in place of all that is mapped there. False where the kernel has no mapping left.
bool cover(char* begin, char* end);

struct NewMapping {
  size_t bytes;
  int protection, flags;  // of mmap(2)
  int descriptor;
  off_t offset;
};

// Callers of all functions but the last two hold the lock of mappings.cpp.

// Null where it is no such mapping, or the kernel refuses it: errno is as before.
void* map_file(const NewMapping& wanted);
// As munmap() does, of what is mapped of files there. False if there is no memory. What falls into too many pieces
// stays where it is, among the others.
bool unmap_files(char* begin, char* end);
// As mremap() does. `wanted`: with MREMAP_FIXED.
void* resize_file(char* old, size_t before, size_t bytes, int flags, void* wanted);
// Whether any file is mapped there.
bool has_file(const char* begin, const char* end);
// The heap ends where the lowest mapping begins, or something else that the program has put behind its blocks.
void end_heap_at_mappings();
// The same, and not beyond `begin`. False where it needs more.
bool end_heap_before(char* begin);
// The descriptor locks its file. Who closes it leaves the lock to the mapping.
void note_lock_of_file(int descriptor);
// Why the rank cannot go elsewhere with them; null: it can. Valid until the next call of one of these functions.
const char* why_mapped_files_stay(bool several_hosts);

// As the rank is packed: notes how long the files are.
void note_mapped_files();
// In the process that the rank has come to. What is wrong, or null.
const char* map_files_again();

}  // namespace weft::shim
