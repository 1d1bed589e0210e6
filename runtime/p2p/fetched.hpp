// Eager messages that the sender's process had no more credit for: announced like long ones, but fetched before anybody
// asks for them, as long as this process may take memory, so that their senders go on.
#pragma once

#include <cstddef>
#include <span>

namespace weft::runtime {
inline namespace p2p {

class MessageWorker;
class Remote;
struct Envelope;
struct Request;

// Of an unexpected message with `over_credit` that has just come into its receiver's mailbox, on its worker. Starts to
// fetch it if there is memory: then it is `fetched`.
void fetch(Envelope& message);
// As fill_from_remote(), for a `fetched` message.
bool fill_from_fetched(MessageWorker& worker, Envelope& message, Request& receive);
// The payload of one that has come whole.
std::span<std::byte> fetched_payload(const Envelope& message);
// The message ends, whether it has been received or not.
void drop_fetched(Remote& remote, Envelope& message);

}  // namespace p2p
}  // namespace weft::runtime
