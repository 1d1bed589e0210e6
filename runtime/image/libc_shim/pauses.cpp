// Calls by which a program yields its core or sleeps: on the rank's own stack other ranks of its worker run meanwhile.
// Threads that the rank has started, signal handlers and forked children use the process's own functions.
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <sys/select.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"

WEFT_RANK_EXPORT int* weft_errno();

namespace weft::shim {
namespace {

constexpr int64_t kSecond = 1000000000;  // ns
constexpr int64_t kForever = INT64_MAX;

bool may_suspend() { return on_rank_stack() && !is_forked_child() && !in_signal_handler(); }

bool is_valid(const timespec* time) {
  return time != nullptr && time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < kSecond;
}

int64_t nanoseconds(const timespec& time) {
  return time.tv_sec >= kForever / kSecond ? kForever : time.tv_sec * kSecond + time.tv_nsec;
}
timespec timespec_of(int64_t ns) { return {ns / kSecond, ns % kSecond}; }

int64_t now(clockid_t clock) {
  timespec time = {};
  clock_gettime(clock, &time);
  return nanoseconds(time);
}
int64_t sum(int64_t a, int64_t b) { return a > kForever - b ? kForever : a + b; }

// Other ranks may run in between, and the rank may wake on another thread: its errno is preserved.
int sleep_as_rank(int64_t until) {
  if (weft_shim_info.host.sleep == nullptr || !may_suspend()) {
    return WEFT_SLEEP_REFUSED;
  }
  const int kept = *weft_errno();
  const int result = weft_shim_info.host.sleep(until);
  *weft_errno() = kept;
  return result;
}

bool yield_as_rank() {
  if (weft_shim_info.host.yield == nullptr || !may_suspend()) {
    return false;
  }
  const int kept = *weft_errno();
  const bool others_ran = weft_shim_info.host.yield() != 0;
  *weft_errno() = kept;
  return others_ran;
}

// Sleeps for this many ns; the rest after an interruption is stored to `left`.
int sleep_for(int64_t ns, int64_t* left) {
  const int64_t end = sum(now(CLOCK_MONOTONIC), ns);
  const int result = sleep_as_rank(end);
  if (result == WEFT_SLEEP_INTERRUPTED) {
    const int64_t rest = end - now(CLOCK_MONOTONIC);
    *left = rest > 0 ? rest : 0;
  }
  return result;
}

// Reads a clock that can be set again each second: it may have been set meanwhile.
int sleep_until(clockid_t clock, int64_t end) {
  for (int64_t time = now(clock); time < end; time = now(clock)) {
    const int64_t left = end - time;
    const int64_t part = clock == CLOCK_MONOTONIC || left < kSecond ? left : kSecond;
    if (const int result = sleep_as_rank(sum(now(CLOCK_MONOTONIC), part)); result != WEFT_SLEEP_DONE) {
      return result;
    }
  }
  return WEFT_SLEEP_DONE;
}

bool is_wall_clock(clockid_t clock) {
  return clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME || clock == CLOCK_TAI;
}

// Returns 0, EINTR, or -1 if it has not slept.
int pause_for(const timespec* duration, timespec* left) {
  int64_t rest = 0;
  switch (is_valid(duration) ? sleep_for(nanoseconds(*duration), &rest) : static_cast<int>(WEFT_SLEEP_REFUSED)) {
    case WEFT_SLEEP_DONE:
      return 0;
    case WEFT_SLEEP_INTERRUPTED:
      if (left != nullptr) {
        *left = timespec_of(rest);
      }
      return EINTR;
    default:
      return -1;
  }
}

// Sets errno and returns -1.
int failed(int error) {
  *weft_errno() = error;
  return -1;
}

}  // namespace
}  // namespace weft::shim

WEFT_RANK_EXPORT int sched_yield() noexcept { return weft::shim::yield_as_rank() ? 0 : WEFT_OF_PROCESS(sched_yield)(); }
WEFT_RANK_EXPORT int __sched_yield() noexcept { return sched_yield(); }
// The headers declare pthread_yield as another name of sched_yield().
WEFT_RANK_EXPORT int weft_pthread_yield() noexcept __asm__("pthread_yield");
int weft_pthread_yield() noexcept { return sched_yield(); }
WEFT_RANK_EXPORT void thrd_yield() { sched_yield(); }

WEFT_RANK_EXPORT int nanosleep(const timespec* duration, timespec* left) {
  const int error = weft::shim::pause_for(duration, left);
  return error < 0 ? WEFT_OF_PROCESS(nanosleep)(duration, left) : error == 0 ? 0 : weft::shim::failed(error);
}
WEFT_RANK_EXPORT int __nanosleep(const timespec* duration, timespec* left);
int __nanosleep(const timespec* duration, timespec* left) { return nanosleep(duration, left); }

WEFT_RANK_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  int result = WEFT_SLEEP_REFUSED;
  if (weft::shim::is_wall_clock(clock) && weft::shim::is_valid(time)) {
    if (flags == 0) {
      const int error = weft::shim::pause_for(time, left);
      result = error == 0 ? WEFT_SLEEP_DONE : error == EINTR ? WEFT_SLEEP_INTERRUPTED : WEFT_SLEEP_REFUSED;
    } else if (flags == TIMER_ABSTIME) {
      result = weft::shim::sleep_until(clock, weft::shim::nanoseconds(*time));
    }
  }
  return result == WEFT_SLEEP_DONE          ? 0
         : result == WEFT_SLEEP_INTERRUPTED ? EINTR
                                            : WEFT_OF_PROCESS(clock_nanosleep)(clock, flags, time, left);
}

WEFT_RANK_EXPORT int usleep(useconds_t microseconds) {
  int64_t left = 0;
  const int result = weft::shim::sleep_for(int64_t{microseconds} * 1000, &left);
  return result == WEFT_SLEEP_DONE          ? 0
         : result == WEFT_SLEEP_INTERRUPTED ? weft::shim::failed(EINTR)
                                            : WEFT_OF_PROCESS(usleep)(microseconds);
}

WEFT_RANK_EXPORT unsigned sleep(unsigned seconds) {
  int64_t left = 0;
  const int result = weft::shim::sleep_for(int64_t{seconds} * weft::shim::kSecond, &left);
  return result == WEFT_SLEEP_DONE ? 0
         : result == WEFT_SLEEP_INTERRUPTED
             ? static_cast<unsigned>((left + weft::shim::kSecond / 2) / weft::shim::kSecond)
             : WEFT_OF_PROCESS(sleep)(seconds);
}

WEFT_RANK_EXPORT int thrd_sleep(const timespec* duration, timespec* left) {
  const int error = weft::shim::pause_for(duration, left);
  return error < 0 ? WEFT_OF_PROCESS(thrd_sleep)(duration, left) : error == 0 ? 0 : -1;
}

// Without descriptors these are sleeps.
WEFT_RANK_EXPORT int poll(pollfd* descriptors, nfds_t count, int milliseconds) {
  int64_t left = 0;
  if (count == 0 && milliseconds >= 0) {
    const int result = weft::shim::sleep_for(int64_t{milliseconds} * 1000000, &left);
    if (result != WEFT_SLEEP_REFUSED) {
      return result == WEFT_SLEEP_DONE ? 0 : weft::shim::failed(EINTR);
    }
  }
  return WEFT_OF_PROCESS(poll)(descriptors, count, milliseconds);
}
WEFT_RANK_EXPORT int __poll(pollfd* descriptors, nfds_t count, int milliseconds);
int __poll(pollfd* descriptors, nfds_t count, int milliseconds) { return poll(descriptors, count, milliseconds); }

WEFT_RANK_EXPORT int ppoll(pollfd* descriptors, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  if (count == 0 && mask == nullptr) {
    if (const int error = weft::shim::pause_for(timeout, nullptr); error >= 0) {
      return error == 0 ? 0 : weft::shim::failed(error);
    }
  }
  return WEFT_OF_PROCESS(ppoll)(descriptors, count, timeout, mask);
}

WEFT_RANK_EXPORT int select(int count, fd_set* in, fd_set* out, fd_set* exceptions, timeval* timeout) {
  const bool sleeps = count == 0 || (in == nullptr && out == nullptr && exceptions == nullptr);
  if (sleeps && timeout != nullptr && timeout->tv_usec >= 0 && timeout->tv_usec < 1000000) {
    const timespec duration = {timeout->tv_sec, timeout->tv_usec * 1000};
    timespec left = {};
    if (const int error = weft::shim::pause_for(&duration, &left); error >= 0) {
      *timeout = {left.tv_sec, left.tv_nsec / 1000};
      return error == 0 ? 0 : weft::shim::failed(error);
    }
  }
  return WEFT_OF_PROCESS(select)(count, in, out, exceptions, timeout);
}
WEFT_RANK_EXPORT int __select(int count, fd_set* in, fd_set* out, fd_set* exceptions, timeval* timeout);
int __select(int count, fd_set* in, fd_set* out, fd_set* exceptions, timeval* timeout) {
  return select(count, in, out, exceptions, timeout);
}

WEFT_RANK_EXPORT int pselect(int count, fd_set* in, fd_set* out, fd_set* exceptions, const timespec* timeout,
                             const sigset_t* mask) {
  const bool sleeps = count == 0 || (in == nullptr && out == nullptr && exceptions == nullptr);
  if (sleeps && mask == nullptr) {
    if (const int error = weft::shim::pause_for(timeout, nullptr); error >= 0) {
      return error == 0 ? 0 : weft::shim::failed(error);
    }
  }
  return WEFT_OF_PROCESS(pselect)(count, in, out, exceptions, timeout, mask);
}
