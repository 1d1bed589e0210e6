#include "runtime/p2p/failed_requests.hpp"

#include <vector>

#include "runtime/p2p/endpoint.hpp"
#include "runtime/p2p/envelope.hpp"
#include "runtime/p2p/message_worker.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "runtime/p2p/remote.hpp"

namespace weft::runtime {
inline namespace p2p {
namespace {

void fail(Worker& here, Request& request, Failure why) {
  request.failure = why;
  finish(here, request);
}

void wake_failed_probers(Worker& here, Endpoint& rank, const FailureOf& failure_of) {
  for (ExecutionContext** link = &rank.probers; *link != nullptr;) {
    ExecutionContext& prober = **link;
    if (failure_of(*prober.probing) != Failure::none) {
      *link = prober.next_prober;
      prober.probing = nullptr;
      prober.probe_failed = true;
      here.make_ready(prober);
    } else {
      link = &prober.next_prober;
    }
  }
}

// Ends those of the rank's registered sends for which fails(send) returns a reason.
template <typename Fails>
void fail_sends(Worker& here, Endpoint& rank, Fails&& fails) {
  std::vector<Request*> failed;
  for (const auto& [id, send] : rank.registered_sends) {
    if (const Failure why = fails(send); why != Failure::none) {
      send.request->failure = why;
      failed.push_back(send.request);
    }
  }
  for (Request* request : failed) {
    finish(here, *request);
  }
}

}  // namespace

void fail_receives(Worker& here, Endpoint& rank, const FailureOf& failure_of) {
  std::vector<std::pair<Request*, Failure>> failed;
  rank.mailbox.for_each_posted([&](Request& receive) {
    if (const Failure why = failure_of(receive.key); why != Failure::none) {
      failed.emplace_back(&receive, why);
    }
  });
  for (const auto& [receive, why] : failed) {
    rank.mailbox.withdraw(*receive);
    fail(here, *receive, why);
  }
  wake_failed_probers(here, rank, failure_of);
}

void fail_sends_to(Worker& here, Endpoint& rank, ProcessId dead) {
  fail_sends(here, rank,
             [dead](const RegisteredSend& send) { return send.to == dead ? Failure::process_failed : Failure::none; });
}

void discard_message(Worker& worker, Envelope& message, Failure why) {
  MessageWorker& here = MessageWorker::of(worker);
  if (message.is_from_other_process || message.remote_sender) {
    // The send, if it is still pending, is registered: fail_sends() ends it where the sender lives.
    end_envelope(here.remote(), here.pool(), message);
    return;
  }
  if (message.sender != nullptr) {
    message.sender->failure = why;
    finish_event(*message.sender);
  }
  here.pool().release(message, here.pool_of(message.home));
}

void discard_messages(Worker& here, Endpoint& rank, const FailureOf& failure_of) {
  std::vector<std::pair<Envelope*, Failure>> given_up;
  rank.mailbox.for_each_unexpected([&](Envelope& message) {
    if (const Failure why = failure_of(message.key); why != Failure::none) {
      given_up.emplace_back(&message, why);
    }
  });
  for (const auto& [message, why] : given_up) {
    rank.mailbox.remove(*message);
    discard_message(here, *message, why);
  }
  fail_sends(here, rank, [&](const RegisteredSend& send) { return failure_of(send.request->key); });
}

}  // namespace p2p
}  // namespace weft::runtime
