// Threads that a rank creates.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"
#include "runtime/image/libc_shim/threads.hpp"

namespace weft::shim {
namespace {

// What a new thread runs once the host knows to which rank it belongs.
template <typename Function>
struct ThreadStart {
  Function start;
  void* argument;

  static auto run(void* pointer) {
    const ThreadStart start_data = *static_cast<ThreadStart*>(pointer);
    free(pointer);
    if (ThreadState* const state = thread_state(); state != nullptr) {
      state->own = true;
    }
    if (weft_shim_info.host.begin_thread != nullptr) {
      weft_shim_info.host.begin_thread(weft_shim_info.rank);
    }
    return start_data.start(start_data.argument);
  }
};

template <typename Function>
ThreadStart<Function>* make_thread_start(Function start, void* argument) {
  weft_shim_info.threaded = 1;
  weft_shim_info.starts_threads = 1;
  lock_streams();
  lock_own_streams();
  auto* const start_data = static_cast<ThreadStart<Function>*>(malloc(sizeof(ThreadStart<Function>)));
  if (start_data != nullptr) {
    *start_data = {start, argument};
    // Relaxed: has_threads() is called only while the rank creates no threads.
    __atomic_fetch_add(&own_threads, 1, __ATOMIC_RELAXED);
  }
  return start_data;
}

template <typename Function>
void discard_thread_start(ThreadStart<Function>* start_data) {
  free(start_data);
  // Relaxed: no other thread learns anything from it.
  __atomic_fetch_sub(&own_threads, 1, __ATOMIC_RELAXED);
}

}  // namespace
}  // namespace weft::shim

WEFT_RANK_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                                    void* argument) noexcept {
  auto* const start_data = weft::shim::make_thread_start(start, argument);
  if (start_data == nullptr) {
    return EAGAIN;
  }
  const int error =
      WEFT_OF_PROCESS(pthread_create)(thread, attributes, &weft::shim::ThreadStart<void* (*)(void*)>::run, start_data);
  if (error != 0) {
    weft::shim::discard_thread_start(start_data);
  }
  return error;
}

WEFT_RANK_EXPORT int thrd_create(thrd_t* thread, thrd_start_t start, void* argument) {
  auto* const start_data = weft::shim::make_thread_start(start, argument);
  if (start_data == nullptr) {
    return thrd_nomem;
  }
  const int error = WEFT_OF_PROCESS(thrd_create)(thread, &weft::shim::ThreadStart<thrd_start_t>::run, start_data);
  if (error != thrd_success) {
    weft::shim::discard_thread_start(start_data);
  }
  return error;
}
