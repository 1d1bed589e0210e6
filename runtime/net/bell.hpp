// A doorbell in shared memory: a worker sleeps on it, and another process rings it to wake the worker.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/net/transport.hpp"

namespace weft::net {

// The order in which a worker goes to sleep: seen = announce_sleep(bell); look once more, with Transport::idle(); then
// sleep(bell, seen), or stay_awake(bell) where there was something to do.
std::uint32_t announce_sleep(Bell& bell);
void stay_awake(Bell& bell);
// Returns once the bell was rung after announce_sleep() had begun.
void sleep(Bell& bell, std::uint32_t seen);

// For who has put something where a worker looks for it, either by a sequentially consistent store or exchange (the
// worker looks by such a load), or under a lock that the worker's look takes too. Wakes one of the sleepers, if there
// is any; true if there was. Costs a look at each bell while none sleeps.
bool ring_one(std::span<Bell> bells);
// Wakes this one if it sleeps.
bool ring(Bell& bell);

}  // namespace weft::net
