#include "mpi_shim/coll/call_mismatch.hpp"

#include <iterator>

#include "runtime/sync/broadcast_ring.hpp"

namespace weft::mpi_shim {
inline namespace coll {
namespace {

using runtime::BroadcastRing;

constexpr const char* kNames[] = {
    "MPI_Barrier",  "MPI_Bcast",     "MPI_Gather",         "MPI_Gatherv",
    "MPI_Scatter",  "MPI_Scatterv",  "MPI_Allgather",      "MPI_Allgatherv",
    "MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw",      "MPI_Finalize",
    "MPI_Reduce",   "MPI_Allreduce", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block",
    "MPI_Scan",     "MPI_Exscan",
};
static_assert(std::size(kNames) == static_cast<std::size_t>(Collective::exscan) + 1);

const char* name_of(CallSignature signature) { return kNames[static_cast<std::size_t>(signature.call())]; }

bool is_reduction(Collective call) { return call >= Collective::reduce; }

// How a member goes on once a barrier has found different signatures and all have shown each other what they do.
enum class CheckState : std::uint8_t {
  missed_broadcast,      // others have been through a broadcast that this member has not come to
  waits_for_broadcast,   // this member has been through one that others have not come to: it goes through one more with
                         // them
  calls_differ,          // all have been through the same broadcasts, and make different calls
  broadcasts_had_roots,  // and make the same call: several were the root of one MPI_Bcast before
};

struct CheckResult {
  CheckState state;
  std::uint32_t odd = 0;  // the first member in another call than rank 0, or 0
};

CheckResult compare(BroadcastRing& stream, std::uint32_t members, std::uint32_t me) {
  bool others_are_ahead = false;
  bool others_are_behind = false;
  std::uint32_t odd = 0;
  for (std::uint32_t i = 0; i < members; ++i) {
    const auto lead = static_cast<std::int32_t>(stream.count(i) - stream.count(me));
    others_are_ahead |= lead > 0;
    others_are_behind |= lead < 0;
    odd = odd == 0 && stream.call(i) != stream.call(0) ? i : odd;
  }
  using enum CheckState;
  return {others_are_ahead    ? missed_broadcast
          : others_are_behind ? waits_for_broadcast
          : odd != 0          ? calls_differ
                              : broadcasts_had_roots,
          odd};
}

}  // namespace

int raise_mismatch(const Entry& entry, const Communicator& comm, const MemberCall& first, const MemberCall& second) {
  const CallSignature one = first.signature;
  const CallSignature other = second.signature;
  if (one.call() != other.call()) {
    return entry.raise(comm.handle, MPI_ERR_ARG, "rank {} of the communicator is in {} but rank {} is in {}",
                       first.rank, name_of(one), second.rank, name_of(other));
  }
  if (one.root() != other.root()) {
    return entry.raise(comm.handle, MPI_ERR_ROOT,
                       "rank {} of the communicator passes root {} but rank {} passes root {}", first.rank, one.root(),
                       second.rank, other.root());
  }
  if (!is_reduction(one.call())) {
    return entry.raise(comm.handle, MPI_ERR_TRUNCATE,
                       "rank {} of the communicator passes {} bytes for each block but rank {} passes {}", first.rank,
                       one.detail(), second.rank, other.detail());
  }
  const std::uint32_t differs = one.detail() ^ other.detail();
  const char* const what = (differs >> 24) != 0 ? "operations" : (differs >> 16) != 0 ? "datatypes" : "counts";
  return entry.raise(comm.handle, (differs >> 16) != 0 ? MPI_ERR_ARG : MPI_ERR_TRUNCATE,
                     "rank {} and rank {} of the communicator pass different {}", first.rank, second.rank, what);
}

int refuse_streamed(const Entry& entry, const Communicator& comm, CallSignature signature) {
  const auto me = static_cast<std::uint32_t>(comm.rank);
  BroadcastRing& stream = comm.team()->broadcast_ring();
  const CallSignature streamed(stream.mark(me));
  stream.pass(me, streamed.bits());
  return raise_mismatch(entry, comm, {streamed.root(), streamed}, {comm.rank, signature});
}

std::optional<int> resolve_mismatch(const Entry& entry, const Communicator& comm, CallSignature signature) {
  runtime::Team& team = *comm.team();
  const auto me = static_cast<std::uint32_t>(comm.rank);
  BroadcastRing& stream = team.broadcast_ring();
  stream.call(me) = signature.bits();
  next_barrier(entry, comm);
  const CheckResult seen = compare(stream, team.size(), me);
  const CallSignature first(stream.call(0));
  const CallSignature second(stream.call(seen.odd));
  next_barrier(entry, comm);
  switch (seen.state) {
    case CheckState::missed_broadcast:  // it is there, and may be the one that the member waits for
      return stream.mark(me) == signature.bits() ? std::nullopt
                                                 : std::optional(refuse_streamed(entry, comm, signature));
    case CheckState::waits_for_broadcast:
      return std::nullopt;
    case CheckState::calls_differ:
      stream.forget(me);
      return raise_mismatch(entry, comm, {0, first}, {static_cast<int>(seen.odd), second});
    case CheckState::broadcasts_had_roots:
      stream.forget(me);
      break;
  }
  return entry.raise(comm.handle, MPI_ERR_ROOT,
                     "several members of the communicator were the root of the same MPI_Bcast before this call");
}

}  // namespace coll
}  // namespace weft::mpi_shim
