// Deadlock detection: every rank is blocked and no message is under way. The report names each rank's call, where in
// its program that is, and what it waits for; ranks of which it says the same are one line.
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

// True when all workers sleep on empty inboxes and none woke while this looked.
bool nothing_under_way(const JobContext& job);

struct BlockedRank {
  std::uint32_t world = 0;   // 0: the job's first
  std::uint32_t number = 0;  // in its world
  std::string call;          // and where in the program
  std::string waits;         // what for
  bool has_unasked = false;  // messages have come that it does not ask for
  void pup(pup::Puper& p) { p | world | number | call | waits | has_unasked; }
};

struct BlockedRanks {
  std::vector<BlockedRank> ranks;
  std::uint32_t ended = 0;  // ranks besides these
  void pup(pup::Puper& p) { p | ranks | ended; }
};

// Those that live in this process. Call it only when nothing is under way.
BlockedRanks blocked_ranks(const JobContext& job);
// What is said of those of all processes.
std::string deadlock_report(BlockedRanks blocked);

}  // namespace termination
}  // namespace weft::runtime
