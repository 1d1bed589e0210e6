// Records what a rank computes between two calls (weftrun --record).
//
// The time stamp counter tells how long a rank computed. Every half millisecond the worker's meter reads the thread's
// clocks and finds for how long others had the core meanwhile. That time is subtracted from the current computation, if
// this lasted for most of the time since the last reading; else from all computations since then, in proportion.
#pragma once

#include <cstdint>

#include "runtime/control/rank.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {
inline namespace control {

// On the rank's fibre and worker, which has a recorder: the rank leaves a call at `now`, in ticks, and computes.
void begin_computing(Worker& here, Rank& me, std::uint64_t now);
// The rank enters a call at `now`, or ends: records what it has computed since.
void end_computing(Worker& here, Rank& me, std::uint64_t now);

}  // namespace control
}  // namespace weft::runtime
