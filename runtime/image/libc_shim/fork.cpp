// Children of a rank: fork(), and the functions that pthread_atfork() registers. They are kept here, since the C
// library's list outlives the rank.
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"
#include "runtime/image/libc_shim/streams.hpp"

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
bool is_child;

void call(void (*function)()) {
  if (function != nullptr) {
    function();
  }
}

pid_t fork_process() {
  flush_job_output();
  const pid_t pid = WEFT_OF_PROCESS(fork)();
  if (pid == 0 && !is_child) {
    is_child = true;
    own_standard_descriptors();
  }
  return pid;
}

}  // namespace

bool is_forked_child() { return is_child; }

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

// The child has all ranks of the process, but only the caller's thread: it should only call exec. Its exit ends the
// child, not the rank, and writes what its streams have buffered, as well as what they held before fork().
WEFT_RANK_EXPORT pid_t fork() noexcept {
  for (ForkHandlers* at = weft::shim::newest; at != nullptr; at = at->older) {
    weft::shim::call(at->prepare);
  }
  const pid_t pid = weft::shim::fork_process();
  for (ForkHandlers* at = weft::shim::oldest; at != nullptr; at = at->newer) {
    weft::shim::call(pid == 0 ? at->child : at->parent);
  }
  return pid;
}

WEFT_RANK_EXPORT pid_t __fork();
pid_t __fork() { return fork(); }
// Does not run the rank's functions; the process's own handlers still run.
WEFT_RANK_EXPORT pid_t _Fork() noexcept { return weft::shim::fork_process(); }

// The child of a real vfork() runs in its parent's memory, and may not return from the function that called it, as this
// one would. So it gets memory of its own.
WEFT_RANK_EXPORT pid_t vfork() noexcept { return fork(); }
WEFT_RANK_EXPORT pid_t __vfork();
pid_t __vfork() { return fork(); }

WEFT_RANK_EXPORT int system(const char* command) {
  weft::shim::flush_job_output();
  return WEFT_OF_PROCESS(system)(command);
}

#define WEFT_SPAWN(name)                                                                                         \
  WEFT_RANK_EXPORT int name(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,           \
                            const posix_spawnattr_t* attributes, char* const words[], char* const variables[]) { \
    weft::shim::flush_job_output();                                                                              \
    return WEFT_OF_PROCESS(name)(child, file, actions, attributes, words, variables);                            \
  }

WEFT_SPAWN(posix_spawn)
WEFT_SPAWN(posix_spawnp)
