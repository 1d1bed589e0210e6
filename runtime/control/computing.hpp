// What a rank computes between two calls, as recordings hold it (weftrun --record).
//
// The time stamp counter says how long a rank computed; the worker's meter reads the thread's clocks every half
// millisecond and finds for how long others had the core meanwhile. That is taken from what is being computed, if that
// took most of the time since the last reading; else from all that was computed in that time, in proportion.
#pragma once

#include <cstdint>

#include "runtime/control/rank.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {
inline namespace control {

// On the rank's fibre and worker, which has a recorder: it leaves its last call now, in ticks, and goes on computing.
void begin_computing(Worker& here, Rank& me, std::uint64_t now);
// It enters a call now, or ends: writes down what it has computed since.
void end_computing(Worker& here, Rank& me, std::uint64_t now);

}  // namespace control
}  // namespace weft::runtime
