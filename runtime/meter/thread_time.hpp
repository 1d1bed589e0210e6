// The system's times of one thread: for how long it ran, for how long it waited for a core.
#pragma once

#include <ctime>

#include <cstdint>

namespace weft::runtime {
inline namespace meter {

// For the thread that constructs it; any thread may read it as long as that thread lives.
class ThreadTime {
 public:
  ThreadTime();
  ~ThreadTime();
  ThreadTime(const ThreadTime&) = delete;
  ThreadTime& operator=(const ThreadTime&) = delete;

  // CPU time since the thread's start, without time stolen by the hypervisor if the system knows it. Takes half a
  // microsecond.
  double ran_seconds() const;
  // Time for which it was runnable while others had its core (second field of /proc/self/task/TID/schedstat); 0 if the
  // system does not count it. Takes a microsecond.
  double waited_seconds() const;

  // Voluntary context switches of the calling thread: to sleep, or to wait for a file.
  static std::uint64_t voluntary_switches();

 private:
  clockid_t clock_{};
  int schedstat_ = -1;
};

}  // namespace meter
}  // namespace weft::runtime
