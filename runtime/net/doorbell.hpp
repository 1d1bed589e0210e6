// A doorbell in shared memory: a worker sleeps on it, and another process rings it to wake the worker.
#pragma once

#include <cstdint>
#include <span>

#include "runtime/net/transport.hpp"

namespace weft::net {

// How a worker goes to sleep: it calls seen = announce_sleep(doorbell), then asks Transport::may_sleep(). If that
// returns true it calls sleep(doorbell, seen), else stay_awake(doorbell).
std::uint32_t announce_sleep(Doorbell& doorbell);
void stay_awake(Doorbell& doorbell);
// Returns once the doorbell has been rung since announce_sleep() began.
void sleep(Doorbell& doorbell, std::uint32_t seen);

// Call it after storing something that a worker looks for. The store is a sequentially consistent store or exchange,
// and the worker looks with such a load; or both hold the same lock. Wakes one sleeper and returns true; returns false
// if nobody sleeps. Costs one load for each doorbell while nobody sleeps.
bool ring_one(std::span<Doorbell> doorbells);
// Wakes the worker of this doorbell if it sleeps.
bool ring(Doorbell& doorbell);

}  // namespace weft::net
