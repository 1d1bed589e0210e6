// What a trace records: who ran when, which calls were made, which messages went where.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/ids.hpp"

namespace weft::trace {

// The numbers are part of the file format: new kinds go to the end, and change the version.
enum class EventKind : std::uint8_t {
  run = 1,     // `rank` ran on the worker for `value` ticks until `time`
  call_begin,  // `rank` entered the call `name`
  call_end,    // `rank` left the call it entered last
  sent,        // `rank` sent `value` bytes to rank `peer`, with `tag`
  received,    // `rank` received `value` bytes from rank `peer`, with `tag`
  park,        // `rank` waits; `name` says for what
  move,        // `rank` left the worker for worker `peer`
  counter,     // the counter `name` of the worker has `value`
  span,        // what `name` says took `value` ticks until `time`

  start_send,        // what `sent` says, behind the request `request`
  start_receive,     // `rank` is ready to receive a message behind the request `request`
  end_receive,       // what `received` says, of the receive behind `request`
  end_request,       // the send or collective call behind `request` is complete
  cancel,            // the receive behind `request` gets no message
  collective,        // the call that `rank` is in: of `comm`, with the root `peer`; `value` bytes go, `more` come
  start_collective,  // that call goes on behind `request`
  restart,           // the collective call behind `request`, which was complete, begins again
  comm,              // `name` says who is in `comm`: see communicators.hpp
  algorithm,         // `name` is how the collective call goes that `rank` is in
  taken,             // `rank` came to the worker from worker `peer`, which does not say so
};
inline constexpr EventKind kLastKind = EventKind::taken;

// Which fields a kind has beside its time; they are written in this order.
struct Fields {
  bool rank = true;
  bool name = false;
  bool peer = false;  // of messages and collective calls: a rank of `comm`
  bool tag = false;
  bool comm = false;
  bool request = false;
  bool value = false;
  bool more = false;
};

constexpr Fields fields_of(EventKind kind) {
  switch (kind) {
    case EventKind::run:
      return {.value = true};
    case EventKind::call_begin:
    case EventKind::park:
    case EventKind::algorithm:
      return {.name = true};
    case EventKind::call_end:
      return {};
    case EventKind::sent:
    case EventKind::received:
      return {.peer = true, .tag = true, .comm = true, .value = true};
    case EventKind::move:
    case EventKind::taken:
      return {.peer = true};
    case EventKind::counter:
    case EventKind::span:
      return {.rank = false, .name = true, .value = true};
    case EventKind::start_send:
    case EventKind::end_receive:
      return {.peer = true, .tag = true, .comm = true, .request = true, .value = true};
    case EventKind::start_receive:
    case EventKind::end_request:
    case EventKind::cancel:
    case EventKind::start_collective:
    case EventKind::restart:
      return {.request = true};
    case EventKind::collective:
      return {.peer = true, .comm = true, .value = true, .more = true};
    case EventKind::comm:
      return {.name = true, .comm = true};
  }
  return {};
}
constexpr bool has_rank(EventKind kind) { return fields_of(kind).rank; }

struct Event {
  EventKind kind = EventKind::run;
  std::uint64_t time = 0;  // ticks
  RankId rank{};           // no meaning in a counter or span
  std::uint32_t name = 0;  // of a Buffer, or an index into Trace::names
  std::uint32_t peer = 0;
  std::int32_t tag = 0;
  std::uint32_t comm = 0;     // a context number
  std::uint32_t request = 0;  // names it while it is active
  std::int64_t value = 0;
  std::int64_t more = 0;
  bool operator==(const Event&) const = default;
};

inline constexpr std::uint32_t kVersion = 5;

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
