// Ends requests without their message, in a job with --survive api: a process has died, or a communicator is revoked.
// Every function is called on the rank's worker, and suspends nothing.
#pragma once

#include <functional>

#include "base/ids.hpp"
#include "runtime/p2p/request.hpp"

namespace weft::runtime {
inline namespace sched {
class Worker;
}  // namespace sched

inline namespace p2p {

class Endpoint;
struct Envelope;

// Why a message with this key, or one for a receive with this pattern, cannot come any more; Failure::none: it can.
using FailureOf = std::function<Failure(const MatchKey& key)>;

// Ends the rank's posted receives that fail, and wakes its probes that fail.
void fail_receives(Worker& here, Endpoint& rank, const FailureOf& failure_of);
// Ends the rank's sends to a process that has died before it received them.
void fail_sends_to(Worker& here, Endpoint& rank, ProcessId dead);
// Drops a message that has been matched, or is in no mailbox any more.
void discard_message(Worker& here, Envelope& message, Failure why);
// Drops messages to the rank that will never be received, and ends such sends of its own. REQUIRES: no process posts a
// receive any more that could match one of them.
void discard_messages(Worker& here, Endpoint& rank, const FailureOf& failure_of);

}  // namespace p2p
}  // namespace weft::runtime
