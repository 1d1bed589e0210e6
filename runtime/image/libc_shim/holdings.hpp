// What of the process a rank holds: its end gives that back, and until then it cannot leave the process.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace weft::shim {

enum class HoldingKind { kStream, kDescriptor, kDirectory, kPattern };

struct SavedFile;

struct Holding {
  Holding* next;
  HoldingKind kind;
  size_t key;            // FILE*, descriptor, …
  uint64_t description;  // of a descriptor: those with the same number share an offset; 0: not the rank's alone
  bool locked;           // of a descriptor: by the rank
  SavedFile* saved;      // what opens the file again elsewhere; null unless the rank is being packed or has just come
  char name[1];
};

// Null if there is no memory: then the rank is not kept here, but it has no memory left to go on with.
Holding* hold(HoldingKind kind, size_t key, const char* name);
void let_go(HoldingKind kind, size_t key);
// The descriptor that the holding is, or that its stream uses; -1 if it has none, or if that is the C library's matter.
int descriptor_of(const Holding& holding);
// The newest holding of the descriptor; null if there is none.
Holding* holding_of(int descriptor);
// Newest first; constant while nothing is opened or closed.
Holding* holdings();

inline size_t key_of(const void* pointer) { return reinterpret_cast<size_t>(pointer); }

}  // namespace weft::shim
