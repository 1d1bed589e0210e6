// Early reads of short messages that were sent without credit. Such a message comes as a rendezvous header only; the
// receiver's process reads its payload at once, if it may use more memory, so that the sender does not wait for a
// matching receive.
#pragma once

#include <cstddef>
#include <span>

namespace weft::runtime {
inline namespace p2p {

class MessageWorker;
class Remote;
struct Envelope;
struct Request;

// On the receiver's worker, for an unexpected message with `over_credit` that has just been added to its mailbox:
// starts to fetch the payload if there is memory. Then the message is `fetched`.
void fetch(Envelope& message);
// As fill_from_remote(), for a `fetched` message.
bool fill_from_fetched(MessageWorker& worker, Envelope& message, Request& receive);
// The payload of a message whose fetch is complete.
std::span<std::byte> fetched_payload(const Envelope& message);
// Releases the payload of a message that ends, whether it has been received or not.
void drop_fetched(Remote& remote, Envelope& message);

}  // namespace p2p
}  // namespace weft::runtime
