// What of the process a rank holds: its end gives that back, and until then it cannot leave the process.
#pragma once

#include <stddef.h>

namespace weft::shim {

enum class HoldingKind { kStream, kDescriptor, kMapping, kDirectory, kPattern };

struct Holding {
  Holding* next;
  HoldingKind kind;
  size_t key;  // FILE*, descriptor, address, …
  char name[1];
};

void hold(HoldingKind kind, size_t key, const char* name);
void let_go(HoldingKind kind, size_t key);
// Newest first; constant while nothing is opened or closed.
const Holding* holdings();

inline size_t key_of(const void* pointer) { return reinterpret_cast<size_t>(pointer); }

// Flushes streams and closes what the rank left open. Threads must be gone.
void close_holdings();

}  // namespace weft::shim
