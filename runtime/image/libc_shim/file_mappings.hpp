// Mappings of files that a rank only reads. They lie behind the heap at the end of the rank's addresses, and are mapped
// again where the rank goes: none of their contents is copied.
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "runtime/image/libc_shim/mapped_ranges.hpp"

namespace weft::shim {

// mappings.cpp: ranges where the program has mapped something else over the rank's addresses, or has changed their
// protection.
MappedRange<char*>*& other_ranges();

// Maps fresh memory over everything in the range. False where the kernel allows no more mappings.
bool cover(char* begin, char* end);

struct NewMapping {
  size_t bytes;
  int protection, flags;  // of mmap(2)
  int descriptor;
  off_t offset;
};

// Callers of all functions except the last two hold the lock of mappings.cpp.

// Null, with errno unchanged, if it is no such mapping, the rank has as many as may move with it, the heap needs the
// addresses, or the kernel refuses. The caller then maps it elsewhere, which keeps the rank in its process.
void* map_file(const NewMapping& wanted);
// Like munmap(), for mappings of files in the range. False if there is no memory. A file with too many pieces stays in
// the process, among the other ranges.
bool unmap_files(char* begin, char* end);
// Like mremap(). `wanted`: with MREMAP_FIXED.
void* resize_file(char* old, size_t before, size_t bytes, int flags, void* wanted);
// Whether any file is mapped in the range.
bool has_file(const char* begin, const char* end);
// Ends the heap at the lowest mapping, or at anything else that the program has mapped above its blocks.
void end_heap_at_mappings();
// The same, and not beyond `begin`. False where the heap needs more.
bool end_heap_before(char* begin);
// The descriptor locks its file. The mapping keeps the lock when the descriptor is closed.
void note_lock_of_file(int descriptor);
// Why the rank cannot move with its mappings; null: it can. Valid until the next call of one of these functions.
const char* why_mapped_files_stay(bool several_hosts);

// Called when the rank is packed, and so not running: notes the lengths of the files.
void note_mapped_files();
// Called in the process to which the rank has moved. Returns what is wrong, or null.
const char* map_files_again();

}  // namespace weft::shim
