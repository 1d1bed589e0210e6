// sched_setaffinity() and similar functions. A rank sees the affinity that it has set, but its thread keeps its own:
// that is its worker's, which runs other ranks too. Threads that the rank created are bound as it says.
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {
namespace {

cpu_set_t wanted;
bool is_bound;

// The process id is that of the process's main thread, which runs no rank: calls with it are the process's.
bool is_own(pid_t thread) { return on_rank_stack() && (thread == 0 || thread == syscall(SYS_gettid)); }

// Like the kernel: the set must contain an existing core. Returns an errno value.
int bind(size_t size, const cpu_set_t* set) {
  const long cores = sysconf(_SC_NPROCESSORS_CONF);
  bool some = false;
  for (int core = 0; core < cores; ++core) {
    some = some || CPU_ISSET_S(static_cast<size_t>(core), size, set);
  }
  if (!some) {
    return EINVAL;
  }
  CPU_ZERO(&wanted);
  memcpy(&wanted, set, size < sizeof wanted ? size : sizeof wanted);
  is_bound = true;
  return 0;
}

// False if the rank never bound itself.
bool copy_mask(size_t size, cpu_set_t* set) {
  if (!is_bound || size < sizeof wanted) {
    return false;
  }
  memset(set, 0, size);
  memcpy(set, &wanted, sizeof wanted);
  return true;
}

}  // namespace
}  // namespace weft::shim

WEFT_RANK_EXPORT int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t* set) noexcept {
  if (!weft::shim::is_own(thread)) {
    return WEFT_OF_PROCESS(sched_setaffinity)(thread, size, set);
  }
  const int error = weft::shim::bind(size, set);
  if (error != 0) {
    errno = error;
  }
  return error == 0 ? 0 : -1;
}

WEFT_RANK_EXPORT int sched_getaffinity(pid_t thread, size_t size, cpu_set_t* set) noexcept {
  const bool known = weft::shim::is_own(thread) && weft::shim::copy_mask(size, set);
  return known ? 0 : WEFT_OF_PROCESS(sched_getaffinity)(thread, size, set);
}

WEFT_RANK_EXPORT int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t* set) noexcept {
  const bool own = weft::shim::on_rank_stack() && thread == pthread_self();
  return own ? weft::shim::bind(size, set) : WEFT_OF_PROCESS(pthread_setaffinity_np)(thread, size, set);
}

WEFT_RANK_EXPORT int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t* set) noexcept {
  const bool own = weft::shim::on_rank_stack() && thread == pthread_self();
  return own && weft::shim::copy_mask(size, set) ? 0 : WEFT_OF_PROCESS(pthread_getaffinity_np)(thread, size, set);
}
