#include "runtime/meter/thread_time.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "base/check.hpp"

namespace weft::runtime {
inline namespace meter {

ThreadTime::ThreadTime() {
  base::check(pthread_getcpuclockid(pthread_self(), &clock_) == 0, "a thread has a CPU clock");
  const std::string path = "/proc/self/task/" + std::to_string(::gettid()) + "/schedstat";
  schedstat_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

ThreadTime::~ThreadTime() {
  if (schedstat_ >= 0) {
    ::close(schedstat_);
  }
}

double ThreadTime::ran_seconds() const {
  timespec time{};
  ::clock_gettime(clock_, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double ThreadTime::waited_seconds() const {
  std::array<char, 96> text;
  const ssize_t size = schedstat_ < 0 ? -1 : ::pread(schedstat_, text.data(), text.size(), 0);
  if (size <= 0) {
    return 0;
  }
  const std::string_view fields(text.data(), static_cast<std::size_t>(size));
  const std::size_t second = fields.find(' ');
  std::uint64_t nanoseconds = 0;
  if (second != std::string_view::npos) {
    std::from_chars(fields.data() + second + 1, fields.data() + fields.size(), nanoseconds);
  }
  return 1e-9 * static_cast<double>(nanoseconds);
}

std::uint64_t ThreadTime::voluntary_switches() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_nvcsw);
}

}  // namespace meter
}  // namespace weft::runtime
