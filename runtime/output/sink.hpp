// Where the ranks' lines leave the process: two descriptors, each a file, a terminal, or a pipe that nobody may read.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace weft::runtime {
inline namespace output {

struct SinkConfig {
  std::array<int, 2> fds = {1, 2};  // of standard output and error
  // Lines of standard output that follow each other within 2 ms are written together, at most 2 ms late. Only where no
  // other process prints: what it prints later must not come first.
  bool gathers = false;
  std::chrono::milliseconds timeout{5000};  // with a reader who does not read, until a line says so
};

// Any thread.
class Sink {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr Time kForever = Time::max();

  explicit Sink(const SinkConfig& config);
  ~Sink();  // writes what is gathered
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  // Writes both parts together, after what is gathered; `fd` is 1 or 2. 0, or -1 with errno: EAGAIN if that was not
  // possible until `end`.
  ssize_t write(int fd, std::string_view first, std::string_view second, Time end);
  // Writes what is gathered.
  ssize_t flush(Time end);

 private:
  bool gather(std::string_view first, std::string_view second);
  ssize_t write_gathered(Time end);
  ssize_t put(int fd, std::string_view first, std::string_view second, Time end);
  bool wait_until_writable(int fd, Time end);
  void tell_once(int fd, const char* what);
  void run();

  const SinkConfig config_;
  const std::array<bool, 2> waits_;  // a write may have to wait for a reader
  std::mutex mutex_;                 // held while lines go out, so that a partial write is not torn
  // Guarded by mutex_.
  std::string gathered_;
  Time last_ = Time::min();  // when standard output was written
  bool told_ = false;
  bool ends_ = false;
  std::condition_variable changed_;
  std::thread writer_;  // of what is gathered
};

// Owns the mutex, unless another still holds it at `end`. (Not a timed mutex: TSan does not know
// pthread_mutex_clocklock.)
std::unique_lock<std::mutex> lock_until(Sink::Time end, std::mutex& mutex);

}  // namespace output
}  // namespace weft::runtime
