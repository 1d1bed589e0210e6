// What one worker knows of a team. Touched by that worker alone, except `has_waiters` and the release item.
#pragma once

#include <atomic>

#include "runtime/team/team.hpp"

namespace weft::runtime {

struct alignas(64) Team::Station {
  Team* team = nullptr;
  Rank* first_waiting = nullptr;
  Rank* last_waiting = nullptr;
  Station* next_unreported = nullptr;
  Action action = nullptr;
  void* argument = nullptr;
  std::uint32_t members_here = 0;  // how many members the worker has: when to report, never whether
  std::uint32_t present = 0;       // members arrived here in this meeting
  std::uint32_t unreported = 0;    // of these, those that the team has not been told of
  bool listed = false;             // in the worker's list of stations with unreported arrivals
  std::atomic<bool> has_waiters = false;
  OwnedItem<Station> release;
};

}  // namespace weft::runtime
