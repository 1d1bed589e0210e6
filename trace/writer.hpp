// Writes traces: each worker encodes events into its own buffer, and buffers are appended to one stream.
//
// The file: "WEFTRACE", version, number of workers, ticks per second; then pieces, each a worker's number + 1, a length
// and that many bytes of events; then a 0. Events of the job have the number after the last worker's. An event is a
// byte for its kind, the ticks since the last event of the same worker or job, and the fields of its kind.
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

  // Returns the number that events use for this name.
  std::uint32_t name(std::string_view text);
  // Times must not decrease.
  void add(const Event& event);
  std::size_t bytes() const { return used_; }
  // Replaces `value`, the last field of the event after which the buffer had `end` bytes, by a smaller value. REQUIRES:
  // no clear() since, and 0 <= smaller <= value.
  void replace_last_value(std::size_t end, std::int64_t value, std::int64_t smaller);
  // The encoded events, for a Source.
  std::string_view contents() const { return {bytes_.data(), used_}; }
  // Empties it and keeps its memory. The numbers of names stay.
  void clear() { used_ = 0; }
  // Allocates memory and touches it, so that add() does not wait for page faults.
  void reserve(std::size_t bytes);

 private:
  char* room(std::size_t bytes);  // the end of the contents, followed by at least this much free memory
  void end_at(const char* end) { used_ = static_cast<std::size_t>(end - bytes_.data()); }

  std::vector<char> bytes_;  // the first `used_` are the contents
  std::size_t used_ = 0;
  std::uint64_t last_time_ = 0;
  std::unordered_map<std::string, std::uint32_t> names_;
};

// One thread at a time.
class Writer {
 public:
  // `out` must outlive the writer.
  Writer(std::ostream& out, const Header& header);
  // Appends the contents of the worker's buffer, and empties it.
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
