// Converts a collective call to a number of messages, for models that have only messages.
#pragma once

#include <cstdint>

#include "sim/actions.hpp"

namespace weft::predict {

struct MessageShare {
  double messages = 0.0;
  double bytes = 0.0;  // of these messages together
};

// The mean number of messages that one of `members` sends with the algorithms of mpi_shim/coll/steps: trees (bcast,
// reduce, gather, scatter: (p - 1)/p messages), doubling (barrier, allreduce, allgather, scan: log2 p, rounded up), or
// all to all (alltoall, reduce_scatter: p - 1). `out`, `in`: recorded bytes of all blocks that the member sends and
// receives.
MessageShare collective_share(sim::CollectiveKind kind, std::uint32_t members, double out, double in);

}  // namespace weft::predict
