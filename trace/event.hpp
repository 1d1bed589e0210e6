// What a trace records: who ran when, which calls were made, which messages went where.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/ids.hpp"

namespace weft::trace {

// The numbers are part of the file format: new kinds go to the end, and change the version.
enum class Kind : std::uint8_t {
  run = 1,     // `rank` ran on the worker for `value` ticks until `time`
  call_begin,  // `rank` entered the call `name`
  call_end,    // `rank` left the call it entered last
  sent,        // `rank` sent `value` bytes to rank `peer`, with `tag`
  received,    // `rank` received `value` bytes from rank `peer`, with `tag`
  park,        // `rank` waits; `name` says for what
  move,        // `rank` left the worker for worker `peer`
  counter,     // the counter `name` of the worker has `value`
  span,        // what `name` says took `value` ticks until `time`
};

constexpr bool has_rank(Kind kind) { return kind != Kind::counter && kind != Kind::span; }

struct Event {
  Kind kind = Kind::run;
  std::uint64_t time = 0;  // ticks
  RankId rank{};           // no meaning in a counter or span
  std::uint32_t name = 0;  // of a Buffer, or an index into Trace::names
  std::uint32_t peer = 0;
  std::int32_t tag = 0;
  std::int64_t value = 0;
  bool operator==(const Event&) const = default;
};

inline constexpr std::uint32_t kVersion = 2;

struct Header {
  std::uint32_t workers = 0;
  std::uint64_t ticks_per_second = 0;  // > 0
};

// A whole trace in memory.
struct Trace {
  Header header;
  std::vector<std::string> names;
  std::vector<std::vector<Event>> workers;  // each worker's events in the order of their times
  std::vector<Event> job;                   // spans and counters of the whole job, in the order of their times
  std::vector<std::uint32_t> process_of;    // by worker; empty: there is one process. Not in files
};

// A trace that cannot be read, or an exporter's stream that failed: one line.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace weft::trace
