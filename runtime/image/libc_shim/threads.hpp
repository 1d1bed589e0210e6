// Threads that a rank created, or that work for it (OpenMP): what each of them has in the rank.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace weft::shim {

struct ThreadDestructor {
  void (*function)(void*);
  void* object;
  ThreadDestructor* older;
};

struct KeyValue {
  uint64_t generation;  // of the key, when the value was set
  void* value;
};

constexpr unsigned kKeys = 512;  // pthread keys per rank

// One per thread; the rank's own is static, the others live in its heap and are reused, never freed.
struct ThreadState {
  uint64_t thread;  // its thread pointer; 0: unused
  ThreadState* next;
  char** blocks;  // of thread-local variables, one per image; null in the rank's own
  KeyValue* keys;
  ThreadDestructor* destructors;  // of thread_local objects, newest first
};

// The calling thread's. Null if the rank's heap is exhausted.
ThreadState* thread_state();

}  // namespace weft::shim
