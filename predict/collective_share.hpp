// Converts collective calls to a number of messages, for models that have only messages.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/actions.hpp"

namespace weft::predict {

struct MessageShare {
  double messages = 0.0;
  double bytes = 0.0;  // of these messages together
};

// The bytes that determine the messages of a call. `out`, `in`: the bytes of all blocks that a member sends, receives.
double block_bytes(sim::CollectiveKind kind, double out, double in);

// The mean number of messages that one of `members` sends with the algorithms of mpi_shim/coll/steps: trees (bcast,
// reduce, gather, scatter: (p - 1)/p messages), doubling (barrier, allreduce, allgather, scan: log2 p, rounded up), or
// all to all (alltoall, reduce_scatter: p - 1). `bytes`: block_bytes().
MessageShare collective_share(sim::CollectiveKind kind, std::uint32_t members, double bytes);

// All calls of one kind in one communicator.
struct CollectiveCalls {
  std::optional<sim::CollectiveKind> kind{};  // none: of neighbours, which counts as one message to any member
  std::vector<std::uint32_t> members{};       // ranks of the job
  std::uint64_t calls = 0;                    // of all members
  double bytes = 0.0;                         // block_bytes() of all calls
};

MessageShare share_of(const CollectiveCalls& calls);
// The part of it that goes to another node, with `ranks` of the job in blocks on `nodes`. Members of one node combine
// their data before any goes to another node, except in alltoall, as mpi_shim/coll does.
MessageShare share_between_nodes(const CollectiveCalls& calls, std::uint32_t ranks, std::uint32_t nodes);

}  // namespace weft::predict
