// How a collective call counts as messages, for models that know messages alone.
#pragma once

#include <cstdint>

#include "sim/actions.hpp"

namespace weft::predict {

struct MessageShare {
  double messages = 0.0;
  double bytes = 0.0;  // of all these messages
};

// What one of `members` sends in the mean, if the call goes as mpi_shim/coll/steps has it between processes: along
// trees (bcast, reduce, gather, scatter: (p - 1)/p messages), by doubling (barrier, allreduce, allgather, scan: log2 p,
// rounded up), or to each other (alltoall, reduce_scatter: p - 1). `out`, `in`: bytes of all blocks that go from the
// member and come to it, as the recording has them.
MessageShare collective_share(sim::CollectiveKind kind, std::uint32_t members, double out, double in);

}  // namespace weft::predict
