// fork() and the functions that pthread_atfork() registers: kept here, because the C library's list outlives the rank.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/image/shim/rank_state.hpp"

namespace weft::shim {
namespace {

struct ForkHandlers {
  ForkHandlers* older;
  ForkHandlers* newer;
  void (*prepare)();
  void (*parent)();
  void (*child)();
};

ForkHandlers* newest;
ForkHandlers* oldest;

void call(void (*function)()) {
  if (function != nullptr) {
    function();
  }
}

}  // namespace
}  // namespace weft::shim

using weft::shim::ForkHandlers;

WEFT_RANK_EXPORT int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* library);
int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void*) {
  auto* handlers = static_cast<ForkHandlers*>(malloc(sizeof(ForkHandlers)));
  if (handlers == nullptr) {
    return -1;
  }
  *handlers = {weft::shim::newest, nullptr, prepare, parent, child};
  (weft::shim::newest != nullptr ? weft::shim::newest->newer : weft::shim::oldest) = handlers;
  weft::shim::newest = handlers;
  return 0;
}

// The child has all ranks of the process in it, but only the caller's thread: it should do no more than exec.
WEFT_RANK_EXPORT pid_t fork() noexcept {
  for (ForkHandlers* at = weft::shim::newest; at != nullptr; at = at->older) {
    weft::shim::call(at->prepare);
  }
  const pid_t pid = WEFT_OF_PROCESS(fork)();
  for (ForkHandlers* at = weft::shim::oldest; at != nullptr; at = at->newer) {
    weft::shim::call(pid == 0 ? at->child : at->parent);
  }
  return pid;
}
