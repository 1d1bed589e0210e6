// Writes traces: events are encoded into a buffer of each worker's own, and buffers are appended to one stream.
//
// The file: "WEFTRACE", version, number of workers, ticks per second; then pieces, each a worker's number + 1, a length
// and that many bytes of events; then a 0. An event is a byte for its kind, the ticks since the worker's event before,
// and the fields that its kind has.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <unordered_map>

#include "trace/event.hpp"

namespace weft::trace {

// Owned by its worker.
class Buffer {
 public:
  // The number that events use for this name.
  std::uint32_t name(std::string_view text);
  // Times must not decrease.
  void add(const Event& event);
  std::size_t bytes() const { return bytes_.size(); }

 private:
  friend class Writer;
  std::string bytes_;
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
  // Ends the trace. Throws Error when the stream has failed.
  void finish();

 private:
  std::ostream& out_;
  const std::uint32_t workers_;
};

}  // namespace weft::trace
