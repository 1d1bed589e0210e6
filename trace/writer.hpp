// Writes traces: each worker encodes events into its own buffer, and buffers are appended to one stream.
//
// The file: "WEFTRACE", version, number of workers, ticks per second; then pieces, each a worker's number + 1, a length
// and that many bytes of events; then a 0. Events of the job have the number after the last worker's. An event is a
// byte for its kind, the ticks since the last event of the same worker or job, and the fields of its kind.
#pragma once

#include <algorithm>
#include <iosfwd>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/check.hpp"
#include "trace/bytes.hpp"
#include "trace/event.hpp"

namespace weft::trace {

// Owned by its worker.
class Buffer {
 public:
  static constexpr std::size_t kLongestEvent = 100;  // bytes, or less

  // Returns the number that events use for this name.
  std::uint32_t name(std::string_view text);
  // Times must not decrease. Inlined, so that a caller with a constant kind writes only that kind's fields: recorders
  // call this several times in each call of MPI.
  [[gnu::always_inline]] void add(const Event& event) {
    base::check(event.time >= last_time_, "a worker's events come in the order of their times");
    char* end = room(kLongestEvent);
    *end++ = static_cast<char>(event.kind);
    end = put(end, event.time - last_time_);
    last_time_ = event.time;
    end_at(put_fields(end, event));
  }
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
  // The end of the contents, followed by at least this much free memory.
  char* room(std::size_t bytes) {
    if (bytes_.size() - used_ < bytes) [[unlikely]] {
      reserve(std::max(bytes_.size() + bytes_.size() / 2, used_ + bytes));
    }
    return bytes_.data() + used_;
  }
  [[gnu::always_inline]] static char* put_fields(char* end, const Event& event) {
    const Fields fields = fields_of(event.kind);
    if (fields.rank) {
      end = put(end, number(event.rank));
    }
    if (fields.name) {
      end = put(end, event.name);
    }
    if (fields.peer) {
      end = put(end, event.peer);
    }
    if (fields.tag) {
      end = put(end, zigzag(event.tag));
    }
    if (fields.comm) {
      end = put(end, event.comm);
    }
    if (fields.request) {
      end = put(end, event.request);
    }
    if (fields.value) {
      end = put(end, zigzag(event.value));
    }
    if (fields.more) {
      end = put(end, zigzag(event.more));
    }
    return end;
  }
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
