// Writes traces: events are encoded into a buffer of each worker's own, and buffers are appended to one stream.
//
// The file: "WEFTRACE", version, number of workers, ticks per second; then pieces, each a worker's number + 1, a length
// and that many bytes of events; then a 0. The number behind the last worker's is the job's. An event is a byte for its
// kind, the ticks since the event before of the same worker or job, and the fields that its kind has.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/event.hpp"

namespace weft::trace {

// Owned by its worker.
class Buffer {
 public:
  static constexpr std::size_t kLongestEvent = 100;  // bytes, or less

  // The number that events use for this name.
  std::uint32_t name(std::string_view text);
  // Times must not decrease.
  void add(const Event& event);
  std::size_t bytes() const { return used_; }
  // Puts a smaller value in place of `value`, the last field of the event after which the buffer had `end` bytes.
  // REQUIRES: no clear() since, and 0 <= smaller <= value.
  void lessen(std::size_t end, std::int64_t value, std::int64_t smaller);
  // What it holds, as a Source reads it.
  std::string_view contents() const { return {bytes_.data(), used_}; }
  // Empties it and keeps its memory. The numbers of names stay.
  void clear() { used_ = 0; }
  // Gets memory for so many bytes and touches it, so that adding need not wait for the system's pages.
  void reserve(std::size_t bytes);

 private:
  char* room(std::size_t bytes);  // the end of what it holds, with so many bytes behind it
  void end_at(const char* end) { used_ = static_cast<std::size_t>(end - bytes_.data()); }

  std::vector<char> bytes_;  // the first `used_` count
  std::size_t used_ = 0;
  std::uint64_t last_time_ = 0;
  std::unordered_map<std::string, std::uint32_t> names_;
};

// Callers take turns.
class Writer {
 public:
  // `out` must outlive the writer.
  Writer(std::ostream& out, const Header& header);
  // Appends what the worker's buffer holds, and empties it.
  void append(std::uint32_t worker, Buffer& buffer);
  // The same for events of the job: spans and counters.
  void append_job(Buffer& buffer) { append_piece(workers_, buffer); }
  // Ends the trace. Throws Error when the stream has failed.
  void finish();

 private:
  void append_piece(std::uint32_t number, Buffer& buffer);

  std::ostream& out_;
  const std::uint32_t workers_;
};

}  // namespace weft::trace
