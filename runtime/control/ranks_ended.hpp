// The control message that tells the coordinator how many ranks of a process have ended.
#pragma once

#include <cstdint>

#include "pup/pup.hpp"
#include "runtime/control/control_message.hpp"

namespace weft::runtime {
inline namespace control {

struct JobContext;

// To the coordinator (Cluster::coordinator()): so many ranks have ended in the sender, since the job began.
struct RanksEnded {
  static constexpr ControlKind kKind = ControlKind::ranks_ended;
  std::uint32_t ranks = 0;
  void pup(pup::Puper& p) { p | ranks; }
};

// Sends that, if no rank lives here any more and the coordinator does not know of all that have ended. Any thread.
void report_ended_ranks(const JobContext& job);

}  // namespace control
}  // namespace weft::runtime
