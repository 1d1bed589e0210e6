// When every rank is blocked and nothing is under way: see it, and say who waits for what.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace weft::runtime {

class Job;

// True when all workers sleep on empty inboxes and none woke while this looked. `sleeps` counts their going to sleep.
bool nothing_under_way(const Job& job, const std::atomic<std::uint64_t>& sleeps);

// Each live rank, the call it is in, and what it waits for. Call it only when nothing is under way.
std::string deadlock_report(const Job& job);
// The same of the ranks that live in this process, without the first line.
std::string deadlock_part(const Job& job);

}  // namespace weft::runtime
