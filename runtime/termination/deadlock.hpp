// Deadlock detection: every rank is blocked and no message is under way. The report has each rank's call, where in its
// program that is, and what the rank waits for; ranks with the same text share a line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pup/pup.hpp"

namespace weft::runtime {
inline namespace control {
struct JobContext;
}  // namespace control

inline namespace termination {

// True when all workers sleep on empty inboxes, none has woken while this checked, and no task waits for the main
// thread, which calls this.
bool nothing_under_way(const JobContext& job);

struct BlockedRank {
  std::uint32_t world = 0;      // 0: the one that the job began with
  std::uint32_t number = 0;     // in its world
  std::string call;             // and where in the program it is
  std::string waits;            // what it waits for
  bool has_unexpected = false;  // it has unexpected messages
  void pup(pup::Puper& p) { p | world | number | call | waits | has_unexpected; }
};

struct BlockedRanks {
  std::vector<BlockedRank> ranks;
  std::uint32_t ended = 0;  // how many other ranks have ended
  void pup(pup::Puper& p) { p | ranks | ended; }
};

// The blocked ranks of this process. REQUIRES: nothing is under way.
BlockedRanks blocked_ranks(const JobContext& job);
// The text of the report on the blocked ranks of all processes.
std::string deadlock_report(BlockedRanks blocked);

}  // namespace termination
}  // namespace weft::runtime
