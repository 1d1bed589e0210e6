#include "mpi_shim/coll/call_mismatch.hpp"

#include <iterator>

#include "runtime/sync/broadcast_ring.hpp"

namespace weft::mpi_shim {
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

const char* name_of(CallSignature mark) { return kNames[static_cast<std::size_t>(mark.call())]; }

bool is_reduction(Collective call) { return call >= Collective::reduce; }

// What the members of a meeting have told each other, as one of them sees it.
struct Comparison {
  bool others_are_ahead = false;
  bool others_are_behind = false;
  std::uint32_t odd = 0;  // the first one in another call than rank 0, or 0
  CallSignature first;    // rank 0's
  CallSignature second;   // that of rank `odd`
};

Comparison compare(BroadcastRing& stream, std::uint32_t members, std::uint32_t me) {
  bool ahead = false;
  bool behind = false;
  std::uint32_t odd = 0;
  for (std::uint32_t i = 0; i < members; ++i) {
    const auto lead = static_cast<std::int32_t>(stream.count(i) - stream.count(me));
    ahead |= lead > 0;
    behind |= lead < 0;
    if (odd == 0 && stream.call(i) != stream.call(0)) {
      odd = i;
    }
  }
  return {ahead, behind, odd, CallSignature(stream.call(0)), CallSignature(stream.call(odd))};
}

}  // namespace

int raise_disagreement(const Entry& entry, const Communicator& comm, int a, CallSignature first, int b,
                       CallSignature second) {
  if (first.call() != second.call()) {
    return entry.raise(comm.handle, MPI_ERR_ARG, "rank {} of the communicator is in {} but rank {} is in {}", a,
                       name_of(first), b, name_of(second));
  }
  if (first.root() != second.root()) {
    return entry.raise(comm.handle, MPI_ERR_ROOT,
                       "rank {} of the communicator passes root {} but rank {} passes root {}", a, first.root(), b,
                       second.root());
  }
  if (!is_reduction(first.call())) {
    return entry.raise(comm.handle, MPI_ERR_TRUNCATE,
                       "rank {} of the communicator passes {} bytes for each block but rank {} passes {}", a,
                       first.detail(), b, second.detail());
  }
  const std::uint32_t differs = first.detail() ^ second.detail();
  const char* const what = (differs >> 24) != 0 ? "operations" : (differs >> 16) != 0 ? "datatypes" : "counts";
  return entry.raise(comm.handle, (differs >> 16) != 0 ? MPI_ERR_ARG : MPI_ERR_TRUNCATE,
                     "rank {} and rank {} of the communicator pass different {}", a, b, what);
}

int refuse_streamed(const Entry& entry, const Communicator& comm, CallSignature mark) {
  const auto me = static_cast<std::uint32_t>(comm.rank);
  BroadcastRing& stream = comm.team()->stream();
  const CallSignature streamed(stream.mark(me));
  stream.pass(me, streamed.bits());
  return raise_disagreement(entry, comm, streamed.root(), streamed, comm.rank, mark);
}

std::optional<int> settle_disagreement(const Entry& entry, const Communicator& comm, CallSignature mark) {
  runtime::Team& team = *comm.team();
  const auto me = static_cast<std::uint32_t>(comm.rank);
  BroadcastRing& stream = team.stream();
  stream.call(me) = mark.bits();
  meet_again(entry, comm);
  const Comparison seen = compare(stream, team.size(), me);
  meet_again(entry, comm);
  if (seen.others_are_ahead) {  // its broadcast is there; it may be the one that the member waits for
    return stream.mark(me) == mark.bits() ? std::nullopt : std::optional(refuse_streamed(entry, comm, mark));
  }
  if (seen.others_are_behind) {
    return std::nullopt;
  }
  stream.forget(me);
  if (seen.odd != 0) {
    return raise_disagreement(entry, comm, 0, seen.first, static_cast<int>(seen.odd), seen.second);
  }
  return entry.raise(comm.handle, MPI_ERR_ROOT,
                     "several members of the communicator were the root of the same MPI_Bcast before this call");
}

}  // namespace weft::mpi_shim
