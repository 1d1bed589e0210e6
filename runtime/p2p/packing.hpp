// Packs a rank's requests and messages when it moves to another process. The layer above calls these functions for the
// requests and messages that it holds.
#pragma once

#include "pup/pup.hpp"
#include "runtime/p2p/request.hpp"

template <>
inline constexpr bool weft::pup::is_plain<weft::runtime::MatchKey> = true;

namespace weft::runtime {
inline namespace p2p {

struct Envelope;
class Endpoint;

// All functions are called on the job's main thread, which holds Remote::pool_mutex, while every rank of the job is
// suspended in a balancing step and no message is under way: each lies in a mailbox or has been taken out of matching.
//
// A pending send and its message refer to each other by address. When one of them is packed, the message instead refers
// to the send by (rank, Request::id), which Endpoint::registered_sends of the sender has.

// Packs or unpacks a request, except `buffer.layout`, which the layer above sets after unpacking. A request that is not
// done is removed from its rank when packed and added to `owner` when unpacked: a posted receive is posted again, at
// its old place in the order; a send stays pending until its message is received.
void pup_request(pup::Puper& p, Endpoint& owner, Request& request);

// A message taken out of matching (match()) and not received yet; may be null, and is null once packed.
void pup_message(pup::Puper& p, Endpoint& owner, Envelope*& message);

// The rank's unexpected messages, in their order. Removed from it when packed.
void pup_unexpected(pup::Puper& p, Endpoint& owner);

}  // namespace p2p
}  // namespace weft::runtime
