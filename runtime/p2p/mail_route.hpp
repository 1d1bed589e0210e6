// Delivers mail to a rank of this process from any thread: the operations that the location protocol calls for senders
// and receivers, with the real atomics and inboxes.
#pragma once

#include "runtime/location/protocol.hpp"
#include "runtime/p2p/endpoint.hpp"
#include "runtime/p2p/message_worker.hpp"

namespace weft::runtime {
inline namespace p2p {

struct Envelope;
struct Request;

// The `Operations` of location/protocol.hpp for sending and receiving, on the worker whose thread makes the call.
class MailOperations {
 public:
  explicit MailOperations(Worker& self) : self_(MessageWorker::of(self)) {}

  Worker* self() const { return &self_; }
  static location::Location<Worker*> load(const RankLocation& rank) { return location::location_in(rank.worker); }
  void begin_post() { self_.begin_post(); }
  void end_post() { self_.end_post(); }
  static void push(Worker* worker, InboxItem& item) { worker->inbox().push(item); }
  static bool enqueue(Endpoint& rank, InboxItem& item) { return rank.mail.push(item); }
  static void push_notice(Worker* worker, Endpoint& rank);
  void deliver_queue(Endpoint& rank);
  // In point_to_point.cpp: matches the message; ends the request.
  void accept(Endpoint& rank, Envelope& message);
  void accept(Endpoint& rank, OwnedItem<Request>& completion);

 protected:
  MessageWorker& self_;
};

// For a thread that runs no ranks, such as the main thread. Items that it posts may overtake others.
void post_from_outside(Endpoint& rank, InboxItem& item);

}  // namespace p2p
}  // namespace weft::runtime
