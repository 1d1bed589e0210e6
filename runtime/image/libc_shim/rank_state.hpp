// Shared by all files of the shim: the rank's info block, its heap, and access to the process's own functions.
#pragma once

#include <dlfcn.h>
#include <sched.h>

#include "runtime/image/libc_shim/heap.hpp"
#include "runtime/image/shim_abi.h"

// A function or variable that the rank's program and libraries bind to instead of the C library's.
#define WEFT_RANK_EXPORT extern "C" [[gnu::visibility("default")]]

WEFT_RANK_EXPORT WeftShimInfo weft_shim_info;

// The process's own function that `name` hides, looked up once per rank. Moves keep it, since addresses are the same in
// all processes then.
#define WEFT_OF_PROCESS(name)                                                                                 \
  ([]() {                                                                                                     \
    static decltype(&::name) found;                                                                           \
    return found != nullptr ? found : (found = reinterpret_cast<decltype(&::name)>(dlsym(RTLD_NEXT, #name))); \
  }())

namespace weft::shim {

// A function of the C library itself: its version keeps dlvsym() from finding a sanitizer's function of the same name.
// A sanitizer's fopencookie() keeps our functions in memory that fclose() frees.
template <typename Function>
Function* of_libc(const char* name) {
  return reinterpret_cast<Function*>(dlvsym(RTLD_DEFAULT, name, "GLIBC_2.2.5"));
}

extern Heap* rank_heap;  // null before start_heap(); guarded by the lock in malloc.cpp

inline bool in_slot(const void* p) {
  return reinterpret_cast<std::size_t>(p) - reinterpret_cast<std::size_t>(weft_shim_info.slot) <
         weft_shim_info.slot_size;
}
// False in threads whose stack the C library allocated. True on every stack in the rank's memory: its own, one that it
// allocated to switch to, and that of a thread for which it did so (pthread_attr_setstack).
[[gnu::always_inline]] inline bool on_rank_stack() { return in_slot(__builtin_frame_address(0)); }

// Prints "rank N: ..." and ends the job.
[[noreturn]] void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));
// For errors where the C library calls abort(): ends the job by SIGABRT.
[[noreturn]] void fail_by_abort(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Locks only if the rank may have several threads. Never held across a call that may switch ranks.
class ThreadLock {
 public:
  explicit ThreadLock(int& word) : word_(weft_shim_info.threaded != 0 ? &word : nullptr) {
    // Pairs with ~ThreadLock(): a thread sees what the previous holder changed.
    for (unsigned spins = 0; word_ != nullptr && __atomic_exchange_n(word_, 1, __ATOMIC_ACQUIRE) != 0; ++spins) {
      __builtin_ia32_pause();
      if (spins % 64 == 63) {
        WEFT_OF_PROCESS(sched_yield)();  // the rank's own would let other ranks run
      }
    }
  }
  ~ThreadLock() {
    if (word_ != nullptr) {
      // Pairs with the exchange in ThreadLock().
      __atomic_store_n(word_, 0, __ATOMIC_RELEASE);
    }
  }
  ThreadLock(const ThreadLock&) = delete;
  ThreadLock& operator=(const ThreadLock&) = delete;

 private:
  int* word_;
};

}  // namespace weft::shim
