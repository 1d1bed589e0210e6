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

// Why the signatures of a barrier differ, as one member sees it once all have shown each other their calls.
enum class MismatchKind : std::uint8_t {
  missed_broadcast,     // others have taken part in a broadcast that this member has not reached
  waits_for_broadcast,  // this member has taken part in one that others have not reached: it waits for them
  calls_differ,         // all have taken part in the same broadcasts, and now make different calls
  several_roots,        // their calls are equal too: several members were the root of one MPI_Bcast before
};

struct Comparison {
  MismatchKind kind;
  std::uint32_t differing_member = 0;  // the first member whose call is not rank 0's, or 0
};

Comparison compare(BroadcastRing& ring, std::uint32_t members, std::uint32_t me) {
  bool others_are_ahead = false;
  bool others_are_behind = false;
  std::uint32_t differing_member = 0;
  for (std::uint32_t i = 0; i < members; ++i) {
    const auto lead = static_cast<std::int32_t>(ring.completed(i) - ring.completed(me));
    others_are_ahead |= lead > 0;
    others_are_behind |= lead < 0;
    differing_member = differing_member == 0 && ring.current_call(i) != ring.current_call(0) ? i : differing_member;
  }
  using enum MismatchKind;
  return {others_are_ahead        ? missed_broadcast
          : others_are_behind     ? waits_for_broadcast
          : differing_member != 0 ? calls_differ
                                  : several_roots,
          differing_member};
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

int raise_broadcast_mismatch(const Entry& entry, const Communicator& comm, CallSignature signature) {
  const auto me = static_cast<std::uint32_t>(comm.rank);
  BroadcastRing& ring = comm.team()->broadcast_ring();
  const CallSignature posted(ring.signature(me));
  ring.advance(me, posted.bits());
  return raise_mismatch(entry, comm, {posted.root(), posted}, {comm.rank, signature});
}

std::optional<int> resolve_mismatch(const Entry& entry, const Communicator& comm, CallSignature signature) {
  runtime::Team& team = *comm.team();
  const auto me = static_cast<std::uint32_t>(comm.rank);
  BroadcastRing& ring = team.broadcast_ring();
  ring.current_call(me) = signature.bits();
  next_barrier(entry, comm);
  const Comparison found = compare(ring, team.size(), me);
  const CallSignature first(ring.current_call(0));
  const CallSignature second(ring.current_call(found.differing_member));
  next_barrier(entry, comm);
  switch (found.kind) {
    case MismatchKind::missed_broadcast:  // it is posted, and may be the one that the member waits for
      return ring.signature(me) == signature.bits() ? std::nullopt
                                                    : std::optional(raise_broadcast_mismatch(entry, comm, signature));
    case MismatchKind::waits_for_broadcast:
      return std::nullopt;
    case MismatchKind::calls_differ:
      ring.reset_hash(me);
      return raise_mismatch(entry, comm, {0, first}, {static_cast<int>(found.differing_member), second});
    case MismatchKind::several_roots:
      ring.reset_hash(me);
      break;
  }
  return entry.raise(comm.handle, MPI_ERR_ROOT,
                     "several members of the communicator were the root of the same MPI_Bcast before this call");
}

}  // namespace coll
}  // namespace weft::mpi_shim
