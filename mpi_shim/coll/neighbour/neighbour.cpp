// MPI_Neighbor_allgather(v), MPI_Neighbor_alltoall(v, w): a message to and from each neighbour.
#include "mpi_shim/coll/neighbour/neighbour.hpp"

#include "mpi_shim/coll/collective_steps.hpp"
#include "mpi_shim/coll/schedule/call_with_request.hpp"
#include "mpi_shim/coll/steps/neighbour.hpp"
#include "mpi_shim/coll/traced_collective.hpp"
#include "mpi_shim/entry/traced_calls.hpp"

namespace weft::mpi_shim {
inline namespace coll {

NeighbourCall neighbour_allgather(const BufferArgument& own, const BufferArgument& all, MPI_Comm comm) {
  return {{Shape::same, own, {}, {}}, true, {Shape::same, all, {}, {}}, comm};
}

NeighbourCall neighbour_allgatherv(const BufferArgument& own, const BufferArgument& all, ArrayArgument counts,
                                   ArrayArgument displacements, MPI_Comm comm) {
  return {{Shape::same, own, {}, {}}, true, {Shape::counts, all, counts, displacements}, comm};
}

NeighbourCall neighbour_alltoall(const BufferArgument& blocks, const BufferArgument& places, MPI_Comm comm) {
  return {{Shape::same, blocks, {}, {}}, false, {Shape::same, places, {}, {}}, comm};
}

NeighbourCall neighbour_alltoallv(const BlockSide& blocks, const BlockSide& places, MPI_Comm comm) {
  return {blocks, false, places, comm};
}

int check_neighbour_exchange(const Entry& entry, const NeighbourCall& call, NeighbourExchange& checked) {
  int error = MPI_SUCCESS;
  checked.comm = checked_intra(entry, call.comm, error);
  if (checked.comm == nullptr) {
    return error;
  }
  const Communicator& comm = *checked.comm;
  if (comm.shared->topology == nullptr) {
    return entry.raise(call.comm, MPI_ERR_TOPOLOGY, "the communicator has no topology");
  }
  if (call.send.buffer.address == MPI_IN_PLACE) {
    return entry.raise(call.comm, MPI_ERR_BUFFER, "MPI_IN_PLACE has no meaning in a neighbourhood call");
  }
  checked.neighbours = neighbours(comm);
  checked.sends_one_block = call.sends_one_block;
  const auto targets = static_cast<int>(checked.neighbours.destinations.size());
  const auto sources = static_cast<int>(checked.neighbours.sources.size());
  error = check_side(entry, comm, targets, call.send, checked.blocks);
  return error != MPI_SUCCESS ? error : check_side(entry, comm, sources, call.receive, checked.places);
}

void note_collective(const Entry& entry, const NeighbourExchange& checked) {
  std::size_t sent = 0, received = 0;
  const auto note = [&](trace::EventKind kind, int neighbour, std::size_t bytes) {
    if (neighbour >= 0 && calls_are_recorded) {
      trace_event(entry.me, {.kind = kind,
                             .peer = static_cast<std::uint32_t>(neighbour),
                             .request = 1,
                             .value = static_cast<std::int64_t>(bytes)});
    }
    return neighbour >= 0 ? bytes : 0;
  };
  for (std::size_t i = 0; i < checked.neighbours.destinations.size(); ++i) {
    const std::size_t bytes = checked.blocks[checked.sends_one_block ? 0 : i].bytes;
    sent += note(trace::EventKind::block_to, checked.neighbours.destinations[i], bytes);
  }
  for (std::size_t i = 0; i < checked.neighbours.sources.size(); ++i) {
    received += note(trace::EventKind::block_from, checked.neighbours.sources[i], checked.places[i].bytes);
  }
  note_collective(entry, *checked.comm, -1, {sent, received});
}

void run_neighbour_exchange(CollectiveSteps& executor, const NeighbourExchange& checked) {
  const steps::NeighbourLists lists{.sources = checked.neighbours.sources,
                                    .destinations = checked.neighbours.destinations,
                                    .is_grid = checked.comm->shared->topology->kind == MPI_CART};
  steps::neighbour_linear(
      executor, executor.members(Collective::neighbour), lists,
      [&](std::size_t i) { return checked.blocks[checked.sends_one_block ? 0 : i]; },
      [&](std::size_t i) { return checked.places[i]; });
}

namespace {

int exchange(const Entry& entry, const NeighbourCall& call) {
  NeighbourExchange checked;
  if (const int error = check_neighbour_exchange(entry, call, checked); error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(entry, checked);
  return run_blocking(entry, *checked.comm,
                      [&](CollectiveSteps& executor) { run_neighbour_exchange(executor, checked); });
}

}  // namespace
namespace {

int exchange(const CallWithRequest& request_call, const NeighbourCall& call) {
  NeighbourExchange checked;
  int error = request_call.check(call.comm);
  if (error == MPI_SUCCESS) {
    error = check_neighbour_exchange(request_call.entry, call, checked);
  }
  if (error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(request_call.entry, checked);
  return request_call.schedule(*checked.comm,
                               [&](CollectiveSteps& executor) { run_neighbour_exchange(executor, checked); });
}

}  // namespace

}  // namespace coll
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/coll/neighbour/neighbour.inc"
