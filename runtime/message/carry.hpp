// A rank's messages on a move to another process: what the layer above holds is packed and unpacked through these.
#pragma once

#include "pup/pup.hpp"
#include "runtime/message/request.hpp"

namespace weft::runtime {

struct Envelope;
class Rank;

// A request of a rank that is suspended in a balancing step. Everything but `buffer.layout`, which the layer above sets
// after unpacking. One that is not done is taken from its rank when packed and given to `owner` when unpacked: a posted
// receive is posted again, in its old order; a send goes on where its message waits.
void pup_request(pup::Puper& p, Rank& owner, Request& request);

// A message taken out of matching (match()) and not received yet; may be null.
void pup_message(pup::Puper& p, Rank& owner, Envelope*& message);

}  // namespace weft::runtime
