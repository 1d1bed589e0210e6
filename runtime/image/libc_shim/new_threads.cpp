// Threads that a rank makes.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

#include "runtime/image/libc_shim/rank_state.hpp"
#include "runtime/image/libc_shim/subjects.hpp"
#include "runtime/image/libc_shim/threads.hpp"

namespace weft::shim {
namespace {

// What a new thread is to do, once the host knows whose it is.
template <typename Function>
struct Begin {
  Function start;
  void* argument;

  static auto run(void* pointer) {
    const Begin begin = *static_cast<Begin*>(pointer);
    free(pointer);
    if (ThreadState* const state = thread_state(); state != nullptr) {
      state->own = true;
    }
    if (weft_shim_info.host.begin_thread != nullptr) {
      weft_shim_info.host.begin_thread(weft_shim_info.rank);
    }
    return begin.start(begin.argument);
  }
};

template <typename Function>
Begin<Function>* about_to_begin(Function start, void* argument) {
  weft_shim_info.threaded = 1;
  weft_shim_info.starts_threads = 1;
  lock_streams();
  lock_own_streams();
  auto* const begin = static_cast<Begin<Function>*>(malloc(sizeof(Begin<Function>)));
  if (begin != nullptr) {
    *begin = {start, argument};
    // Alone: has_threads() is asked while the rank makes no threads.
    __atomic_fetch_add(&own_threads, 1, __ATOMIC_RELAXED);
  }
  return begin;
}

template <typename Function>
void did_not_begin(Begin<Function>* begin) {
  free(begin);
  // Alone: no other thread is told by it.
  __atomic_fetch_sub(&own_threads, 1, __ATOMIC_RELAXED);
}

}  // namespace
}  // namespace weft::shim

WEFT_RANK_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                                    void* argument) noexcept {
  auto* const begin = weft::shim::about_to_begin(start, argument);
  if (begin == nullptr) {
    return EAGAIN;
  }
  const int error =
      WEFT_OF_PROCESS(pthread_create)(thread, attributes, &weft::shim::Begin<void* (*)(void*)>::run, begin);
  if (error != 0) {
    weft::shim::did_not_begin(begin);
  }
  return error;
}

WEFT_RANK_EXPORT int thrd_create(thrd_t* thread, thrd_start_t start, void* argument) {
  auto* const begin = weft::shim::about_to_begin(start, argument);
  if (begin == nullptr) {
    return thrd_nomem;
  }
  const int error = WEFT_OF_PROCESS(thrd_create)(thread, &weft::shim::Begin<thrd_start_t>::run, begin);
  if (error != thrd_success) {
    weft::shim::did_not_begin(begin);
  }
  return error;
}
