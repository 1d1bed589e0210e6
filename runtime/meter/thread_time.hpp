// What the system says of one thread: how long it ran, how long it waited for a core.
#pragma once

#include <ctime>

#include <cstdint>

namespace weft::runtime {
inline namespace meter {

// Of the thread that makes it; any thread may ask as long as that thread lives.
class ThreadTime {
 public:
  ThreadTime();
  ~ThreadTime();
  ThreadTime(const ThreadTime&) = delete;
  ThreadTime& operator=(const ThreadTime&) = delete;

  // CPU time since its start, without what the hypervisor took where the system knows that. Half a microsecond.
  double ran_seconds() const;
  // Time for which it could have run while others had its core (second field of /proc/self/task/TID/schedstat); 0 where
  // the system does not count it. A microsecond.
  double waited_seconds() const;

  // How often the calling thread has given its core away itself: to sleep, to wait for a file.
  static std::uint64_t voluntary_switches();

 private:
  clockid_t clock_{};
  int schedstat_ = -1;
};

}  // namespace meter
}  // namespace weft::runtime
