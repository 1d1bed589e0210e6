// Requests that end without their message, in a job with --survive api: a process has died, or a communicator is
// revoked. Every call is made on the rank's worker, and suspends nothing.
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

// Why a message with this key, or a receive with this pattern, is never to be; Failure::none: it may yet.
using FailureOf = std::function<Failure(const MatchKey& key)>;

// Ends the rank's posted receives that fail, and makes its probes that do look again.
void fail_receives(Worker& here, Endpoint& rank, const FailureOf& failure_of);
// Ends the rank's sends to a process that has died and had not taken them.
void fail_sends_to(Worker& here, Endpoint& rank, ProcessId dead);
// Drops a message that is matched, or is in no mailbox any more.
void give_up(Worker& here, Envelope& message, Failure why);
// Drops messages to the rank that nobody will receive, and ends such sends of its own. REQUIRES: no process posts a
// receive any more that one of them could match.
void give_up_messages(Worker& here, Endpoint& rank, const FailureOf& failure_of);

}  // namespace p2p
}  // namespace weft::runtime
