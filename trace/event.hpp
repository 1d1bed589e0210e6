// The events of a trace: which rank ran when, calls and messages. A recording for the simulator also has what ranks
// computed and the input of balancing decisions.
//
// The events of one rank are in the order in which things happened, also when it moves: `move` and `stolen` say on
// which worker they continue (sequence.hpp follows them). Between call_begin and call_end are the events of the call:
// messages and requests when they are posted, and ends of the requests that the call completes. MPI_Waitall thus has an
// end for each of its requests; MPI_Waitany and MPI_Testsome have ends for the completed ones.
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
  park,        // `rank` waits; `name`: the reason
  move,        // `rank` left the worker for worker `peer`
  counter,     // the counter `name` of the worker has `value`
  span,        // the activity `name` took `value` ticks until `time`

  start_send,        // as `sent`, for a nonblocking send with `request`
  start_receive,     // `rank` posts a nonblocking receive with `request`
  end_receive,       // as `received`: the receive with `request` is complete
  end_request,       // the send or collective call with `request` is complete
  cancel,            // the receive with `request` was cancelled. A receive from MPI_PROC_NULL has no cancel and no end
  collective,        // arguments of the call that `rank` is in: `comm`, root `peer`, `value` bytes sent, `more` bytes
                     // received; `tag`: bytes of an element of a reduction, else 0
  start_collective,  // that call is nonblocking or persistent and has `request`
  restart,           // the persistent collective call with `request` starts again
  comm,              // `name` has the members of `comm`: see communicators.hpp
  algorithm,         // `name`: the algorithm of the collective call that `rank` is in
  stolen,            // the worker stole `rank` from worker `peer`, which has no event for that

  // Only in recordings (weftrun --record). Durations are in nanoseconds, since ticks differ between hosts.
  compute,      // `rank` has computed for `value` ns of CPU time since it left its last call, or since its start; is
                // directly before the call_begin or at the rank's end; there is none for 0 ns
  migrate,      // `rank` calls MPI_Migrate: `value` ns is its load since its last such call, as the balancer charges
                // it; `more` bytes to move; `peer`: kMigratable, kMayBePacked; `tag`: the worker it asks for, or -1
  interval,     // what the worker did since its last such event: see worker_interval.hpp; no `rank`. Comes before the
                // first `migrate` of each call of MPI_Migrate in which a rank of the worker takes part, unless that is
                // too soon after the last interval for a measurement
  phase,        // `rank` begins the phase `value`: the level of MPI_Pcontrol
  wildcard,     // the receive with `request`, or with 0 that of the call that `rank` is in, has been posted with
                // wildcards: bits of `value` are kAnySource, kAnyTag; comes before its start_receive or received
  block_to,     // for the next collective event: `value` bytes are sent to each of `request` members from member `peer`
                // on. If blocks may differ, there are events for all blocks whose sizes the rank knows
  block_from,   // likewise: `value` bytes are received from each of `request` members from member `peer` on
  thread_call,  // a thread that `rank` has started makes the call `name`; only the first such call on this worker
};
inline constexpr EventKind kLastKind = EventKind::thread_call;

// Event::peer of EventKind::migrate.
inline constexpr std::uint32_t kMigratable = 1;   // the rank lets the balancer move it
inline constexpr std::uint32_t kMayBePacked = 2;  // it can move to another process
// Event::value of EventKind::wildcard.
inline constexpr std::int64_t kAnySource = 1;
inline constexpr std::int64_t kAnyTag = 2;

// The fields of a kind besides its time; they are written in this order.
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
    case EventKind::stolen:
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
      return {.peer = true, .tag = true, .comm = true, .value = true, .more = true};
    case EventKind::comm:
      return {.name = true, .comm = true};
    case EventKind::compute:
    case EventKind::phase:
      return {.value = true};
    case EventKind::migrate:
      return {.peer = true, .tag = true, .value = true, .more = true};
    case EventKind::interval:
      return {.rank = false, .peer = true, .tag = true, .comm = true, .request = true, .value = true, .more = true};
    case EventKind::wildcard:
      return {.request = true, .value = true};
    case EventKind::block_to:
    case EventKind::block_from:
      return {.peer = true, .request = true, .value = true};
    case EventKind::thread_call:
      return {.name = true};
  }
  return {};
}
// Whether the kind is only in recordings for the simulator.
constexpr bool is_recording_only(EventKind kind) { return kind >= EventKind::compute; }
constexpr bool has_rank(EventKind kind) { return fields_of(kind).rank; }

struct Event {
  EventKind kind = EventKind::run;
  std::uint64_t time = 0;  // ticks
  RankId rank{};           // no meaning in a counter, span or interval
  std::uint32_t name = 0;  // of a Buffer, or an index into Trace::names
  std::uint32_t peer = 0;
  std::int32_t tag = 0;
  std::uint32_t comm = 0;     // a context number
  std::uint32_t request = 0;  // identifies a request while it is active
  std::int64_t value = 0;
  std::int64_t more = 0;
  bool operator==(const Event&) const = default;
};

inline constexpr std::uint32_t kVersion = 6;

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

// A trace that cannot be read, or an exporter's stream that failed. One line.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace weft::trace
