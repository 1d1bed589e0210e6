// Deadlock detection: every rank is blocked and no message is under way. The report names each rank's call, where in
// its program that is, and what it waits for; ranks of which it says the same are one line.
#pragma once

#include <string>

namespace weft::runtime {
inline namespace control {
struct JobContext;
}  // namespace control

inline namespace termination {

// True when all workers sleep on empty inboxes and none woke while this looked.
bool nothing_under_way(const JobContext& job);

// Each live rank, the call it is in, and what it waits for. Call it only when nothing is under way.
std::string deadlock_report(const JobContext& job);
// The same of the ranks that live in this process, without the first line.
std::string deadlock_part(const JobContext& job);

}  // namespace termination
}  // namespace weft::runtime
