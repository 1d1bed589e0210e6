// Packs a rank's requests and messages when it moves to another process. The layer above calls these for those that it
// holds.
#pragma once

#include "pup/pup.hpp"
#include "runtime/p2p/request.hpp"

template <>
inline constexpr bool weft::pup::is_plain<weft::runtime::MatchKey> = true;

namespace weft::runtime {
inline namespace p2p {

struct Envelope;
class Endpoint;

// All of these are called on the job's main thread, which holds Remote::pool(), while every rank of the job is
// suspended in a balancing step and no message is under way: each lies in a mailbox or has been taken out of matching.
//
// A pending send and its message know each other by address. Where one of them is packed, the message names the send by
// (rank, Request::id) instead, in the sender's Endpoint::registered_sends.

// A request of a rank that is suspended in a balancing step. Everything but `buffer.layout`, which the layer above sets
// after unpacking. One that is not done is taken from its rank when packed and given to `owner` when unpacked: a posted
// receive is posted again, in its old order; a send goes on where its message waits.
void pup_request(pup::Puper& p, Endpoint& owner, Request& request);

// A message taken out of matching (match()) and not received yet; may be null, and is once packed.
void pup_message(pup::Puper& p, Endpoint& owner, Envelope*& message);

// The messages that wait for the rank and that it has not asked for yet, in their order. Taken from it when packed.
void pup_unexpected(pup::Puper& p, Endpoint& owner);

}  // namespace p2p
}  // namespace weft::runtime
