// Threads that a rank created, or that work for it (OpenMP): the state that each of them has in the rank.
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

// One for each thread; the rank's own is static, the others live in its heap and are reused, never freed.
struct ThreadState {
  uint64_t thread;  // the thread pointer of its thread; 0: it is unused; kNoThread: no thread has come to its place yet
  uint64_t place;   // in OpenMP's teams: the state goes to the next thread in this place; 0: it ends with its thread
  bool own;         // the rank has created the thread
  ThreadState* next;
  char** blocks;  // of thread-local variables, one per image; null in the rank's own
  KeyValue* keys;
  ThreadDestructor* destructors;  // of thread_local objects, newest first
};

// For a state whose thread has ended, or is in the process that the rank has left. It is no valid thread pointer.
constexpr uint64_t kNoThread = 1;

// The number of threads that the rank has created and that have not ended.
extern unsigned own_threads;

// The calling thread's state. Null if the rank's heap is exhausted.
ThreadState* thread_state();

}  // namespace weft::shim
