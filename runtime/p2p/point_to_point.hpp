// Messages between ranks. Where nothing else is said, the rank `me`, or the owner of the request, calls the function on
// its worker. A function suspends the rank only if it says so.
#pragma once

#include <span>

#include "runtime/p2p/request.hpp"

namespace weft::runtime {
inline namespace sched {
class Worker;
}  // namespace sched

inline namespace p2p {

class Endpoint;
struct Envelope;

enum class SendMode : std::uint8_t {
  standard,     // done as soon as the buffer may be reused
  synchronous,  // done when a receive has matched it
};

// Starts a send to `to`, which `request.prepare_send()` has just described; `request.done` may already be true on
// return.
void start_send(Endpoint& to, SendMode mode, Request& request);

// Posts a receive; `request.done` may already be true on return.
void start_receive(Endpoint& me, const MatchKey& pattern, const Buffer& buffer, Request& request);

// Makes `request` an event that `me` can wait for as for a message; finish_event() ends it. `peer` is for reports.
void start_event(Endpoint& me, std::int32_t peer, const MatchKey& key, Request& request);
// Any thread of the owner's process. The request may be freed as soon as it is done.
void finish_event(Request& request);

// Suspends until the request is done.
void wait(Endpoint& me, Request& request);
// Suspends until at least one / all of the requests (null entries are skipped) are done. `shared`: a request of
// wake_waiter_at_end(), for reports; then `requests` may be empty. wake_waiters() ends both early.
void wait_any(Endpoint& me, std::span<Request* const> requests, const Request* shared = nullptr);
void wait_all(Endpoint& me, std::span<Request* const> requests);

// Where threads of a rank may make calls, several of its contexts may wait for the same request. wake_waiters(): all
// contexts of the rank that are suspended in wait_any() and wait_all() return early, since there is something new to
// wait for. wake_waiter_at_end(): one of them does once this request is done.
void wake_waiters(Endpoint& me);
void wake_waiter_at_end(Request& request);

// Lets other ranks of the worker run, and messages arrive. For calls that a program may repeat until they succeed.
void yield(Endpoint& me);

// What a probe found.
struct Probed {
  MatchKey key;
  std::uint64_t bytes = 0;
};
// Looks for a message that `pattern` matches without taking it.
bool probe(Endpoint& me, const MatchKey& pattern, Probed& found);
// Suspends until there is one. False: none may ever come (failed_requests.hpp).
bool wait_probe(Endpoint& me, const MatchKey& pattern, Probed& found);

// Takes a message out of matching (MPI_Improbe); null when there is none. It must be received by receive_matched().
Envelope* match(Endpoint& me, const MatchKey& pattern, Probed& found);
// The same with wait_probe(); null where that is false.
Envelope* wait_match(Endpoint& me, const MatchKey& pattern, Probed& found);
void receive_matched(Endpoint& me, Envelope& message, const Buffer& buffer, Request& request);

// For the runtime itself, on a worker. note_match(): a receive has matched a message with this key of so many bytes.
// finish(): a request of a rank of this worker is done. deliver_message(): an envelope has come out of the worker's
// inbox.
void note_match(Request& receive, const MatchKey& key, std::uint64_t bytes);
void finish(Worker& worker, Request& request);
void deliver_message(Worker& worker, InboxItem& item);

// Withdraws a posted receive; true when it had not matched. Sets cancelled and done then.
bool cancel_receive(Endpoint& me, Request& request);

}  // namespace p2p
}  // namespace weft::runtime
