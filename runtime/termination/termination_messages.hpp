// The control messages by which processes find that a job is over or can never go on (termination.hpp). None is
// counted: the search for a deadlock must not look like work. RanksEnded, which begins the end, is in
// runtime/control/ranks_ended.hpp.
#pragma once

#include <cstdint>
#include <string>

#include "pup/pup.hpp"
#include "runtime/control/control_message.hpp"
#include "runtime/termination/deadlock.hpp"
#include "runtime/termination/idle_search.hpp"

namespace weft::runtime {
inline namespace termination {

// From the coordinator (Cluster::first_living_process()) to all: all ranks have ended.
struct AllEnded {
  static constexpr ControlKind kKind = ControlKind::all_ended;
  void pup(pup::Puper& /*p*/) {}
};

// To process 0: the sender's workers sleep.
struct ProcessIdle {
  static constexpr ControlKind kKind = ControlKind::process_idle;
  IdleState state;
  void pup(pup::Puper& p) { p | state.round | state.sent | state.received; }
};

// From process 0 to all: asks each process to report again once nothing runs there.
struct IdleQuery {
  static constexpr ControlKind kKind = ControlKind::idle_query;
  std::uint64_t round = 0;
  void pup(pup::Puper& p) { p | round; }
};

// From process 0 to all: nothing can run any more; asks what the ranks wait for.
struct ReportQuery {
  static constexpr ControlKind kKind = ControlKind::report_query;
  void pup(pup::Puper& /*p*/) {}
};

// To process 0: the answer.
struct DeadlockPart {
  static constexpr ControlKind kKind = ControlKind::deadlock_part;
  BlockedRanks blocked;
  void pup(pup::Puper& p) { p | blocked; }
};

}  // namespace termination
}  // namespace weft::runtime
