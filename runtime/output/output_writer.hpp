// Writes the ranks' lines to two descriptors. Each is a file, a terminal, or a pipe whose reader may have stopped.
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

struct OutputWriterConfig {
  std::array<int, 2> fds = {1, 2};  // of standard output and error
  // Buffers lines of standard output for up to 2 ms, so that lines in quick succession are written together. Only where
  // no other process prints: output that another process prints later must not appear first.
  bool buffers_lines = false;
  std::chrono::milliseconds timeout{5000};  // a warning is printed when a reader has not read for so long
};

// Any thread.
class OutputWriter {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr Time kForever = Time::max();

  explicit OutputWriter(const OutputWriterConfig& config);
  ~OutputWriter();  // writes what is buffered
  OutputWriter(const OutputWriter&) = delete;
  OutputWriter& operator=(const OutputWriter&) = delete;

  // Writes both parts together, after what is buffered; `fd` is 1 or 2. Returns 0, or -1 with errno: EAGAIN if that was
  // not possible until `end`.
  ssize_t write(int fd, std::string_view first, std::string_view second, Time end);
  // Writes what is buffered.
  ssize_t flush(Time end);

 private:
  bool buffer(std::string_view first, std::string_view second);
  ssize_t write_buffered(Time end);
  ssize_t put(int fd, std::string_view first, std::string_view second, Time end);
  bool wait_until_writable(int fd, Time end);
  void warn_once(int fd, const char* what);
  void run();

  const OutputWriterConfig config_;
  const std::array<bool, 2> waits_;  // whether a write may have to wait for a reader
  std::mutex mutex_;                 // held while lines are written, so that others do not write into them
  // Guarded by mutex_.
  std::string buffered_;
  Time last_ = Time::min();  // when standard output was last written
  bool has_warned_ = false;
  bool ends_ = false;
  std::condition_variable changed_;
  std::thread flush_thread_;  // writes what is buffered; only with buffers_lines
};

// Locks the mutex, unless another thread still holds it at `end`. (Not a timed mutex: TSan does not know
// pthread_mutex_clocklock.)
std::unique_lock<std::mutex> lock_until(OutputWriter::Time end, std::mutex& mutex);

}  // namespace output
}  // namespace weft::runtime
