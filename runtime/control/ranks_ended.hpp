// The control message that tells the coordinator how many ranks of a process have ended.
#pragma once

#include <cstdint>

#include "pup/pup.hpp"
#include "runtime/control/control_message.hpp"

namespace weft::runtime {
inline namespace control {

struct JobContext;

// To the coordinator (Cluster::first_living_process()): so many ranks have ended in the sender, since the job began.
struct RanksEnded {
  static constexpr ControlKind kKind = ControlKind::ranks_ended;
  std::uint32_t ranks = 0;
  void pup(pup::Puper& p) { p | ranks; }
};

// Any thread. Sends RanksEnded, if no rank lives here any more and the last report is out of date.
void report_ended_ranks(const JobContext& job);

}  // namespace control
}  // namespace weft::runtime
