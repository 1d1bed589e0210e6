// The end of a rank: exit handlers, functions that exit, and errors that end the job.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/image/libc_shim/held_resources.hpp"
#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {
namespace {

using Function = void (*)(void*);
using FunctionOfStatus = void (*)(int, void*);

struct Handler {
  void (*function)();  // as registered; which of the two signatures it has is in wants_status
  void* argument;
  void* library;
  bool wants_status;
};

// Newest last. The memory comes from the rank's heap.
struct HandlerList {
  Handler* handlers;
  size_t count, capacity;

  int add(const Handler& handler) {
    const ThreadLock guard(lock);
    if (count == capacity) {
      const size_t more = capacity == 0 ? 32 : 2 * capacity;
      auto* grown = static_cast<Handler*>(reallocarray(handlers, more, sizeof(Handler)));
      if (grown == nullptr) {
        return -1;
      }
      handlers = grown;
      capacity = more;
    }
    handlers[count++] = handler;
    return 0;
  }
  bool take(Handler& handler) {
    const ThreadLock guard(lock);
    if (count == 0) {
      return false;
    }
    handler = handlers[--count];
    return true;
  }

  static int lock;
};

int HandlerList::lock;
HandlerList at_exit_list;
HandlerList at_quick_exit_list;
int exit_status;

void call(const Handler& handler) {
  if (handler.wants_status) {
    reinterpret_cast<FunctionOfStatus>(handler.function)(exit_status, handler.argument);
  } else if (handler.function != nullptr) {
    reinterpret_cast<Function>(handler.function)(handler.argument);
  }
}

// A handler may register more handlers: they run next.
void run(HandlerList& list) {
  Handler handler;
  while (list.take(handler)) {
    call(handler);
  }
}

// The call may come from a signal handler, which does not return.
void begin_exit(const char* call, int status) {
  if (!on_rank_stack()) {
    fail("%s(%d) was called from a thread that the rank created", call, status);
  }
  leave_signal_handlers(nullptr);
}

[[noreturn]] void leave(int status) {
  if (is_forked_child()) {
    WEFT_OF_PROCESS(_exit)(status);
  }
  forget_threads();
  close_held_resources();
  weft_shim_info.host.exit(status);
  __builtin_trap();
}

}  // namespace
}  // namespace weft::shim

WEFT_RANK_EXPORT int __cxa_atexit(void (*function)(void*), void* argument, void* library);
WEFT_RANK_EXPORT int __cxa_at_quick_exit(void (*function)(void*), void* library);
WEFT_RANK_EXPORT void __cxa_finalize(void* library);
WEFT_RANK_EXPORT void weft_shim_run_exit_handlers();

int __cxa_atexit(void (*function)(void*), void* argument, void* library) {
  return weft::shim::at_exit_list.add({reinterpret_cast<void (*)()>(function), argument, library, false});
}

WEFT_RANK_EXPORT int atexit(void (*function)()) noexcept {
  return weft::shim::at_exit_list.add({function, nullptr, nullptr, false});
}

WEFT_RANK_EXPORT int on_exit(void (*function)(int, void*), void* argument) noexcept {
  return weft::shim::at_exit_list.add({reinterpret_cast<void (*)()>(function), argument, nullptr, true});
}

int __cxa_at_quick_exit(void (*function)(void*), void* library) {
  return weft::shim::at_quick_exit_list.add({reinterpret_cast<void (*)()>(function), nullptr, library, false});
}

// <stdlib.h> gives C++ its own at_quick_exit.
WEFT_RANK_EXPORT int weft_at_quick_exit(void (*function)()) __asm__("at_quick_exit");
int weft_at_quick_exit(void (*function)()) {
  return weft::shim::at_quick_exit_list.add({function, nullptr, nullptr, false});
}

// An image's DT_FINI calls this to run its handlers; by then exit() has run them all.
void __cxa_finalize(void*) {}

void weft_shim_run_exit_handlers() {
  weft::shim::run_thread_destructors();
  weft::shim::run(weft::shim::at_exit_list);
  fflush(nullptr);  // a forked child does not close its streams
}

WEFT_RANK_EXPORT void exit(int status) noexcept {
  weft::shim::begin_exit("exit", status);
  weft::shim::exit_status = status;
  weft_shim_run_exit_handlers();
  weft::shim::leave(status);
}

WEFT_RANK_EXPORT void quick_exit(int status) noexcept {
  weft::shim::begin_exit("quick_exit", status);
  weft::shim::run(weft::shim::at_quick_exit_list);
  weft::shim::leave(status);
}

WEFT_RANK_EXPORT void _exit(int status) {
  weft::shim::begin_exit("_exit", status);
  weft::shim::leave(status);
}

WEFT_RANK_EXPORT void _Exit(int status) noexcept { _exit(status); }

WEFT_RANK_EXPORT void abort() noexcept {
  weft::shim::flush_streams();
  if (weft::shim::is_forked_child()) {
    WEFT_OF_PROCESS(abort)();
  }
  weft::shim::fail_by_abort("abort() was called");
}

WEFT_RANK_EXPORT void __assert_fail(const char* assertion, const char* file, unsigned line,
                                    const char* function) noexcept {
  weft::shim::flush_streams();
  weft::shim::fail_by_abort("%s:%u: %s: assertion '%s' failed", file, line, function != nullptr ? function : "?",
                            assertion);
}

WEFT_RANK_EXPORT void __assert_perror_fail(int error, const char* file, unsigned line, const char* function) noexcept {
  weft::shim::flush_streams();
  weft::shim::fail_by_abort("%s:%u: %s: unexpected error %d", file, line, function != nullptr ? function : "?", error);
}

WEFT_RANK_EXPORT [[noreturn]] void __stack_chk_fail();
WEFT_RANK_EXPORT [[noreturn]] void __chk_fail();

void __stack_chk_fail() {
  weft::shim::fail_by_abort("stack smashing detected: a function wrote past a variable on the stack");
}
void __chk_fail() { weft::shim::fail_by_abort("buffer overflow detected by a fortified C library call"); }
