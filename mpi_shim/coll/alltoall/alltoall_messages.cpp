// MPI_Alltoall(v, w) by messages.
#include "mpi_shim/coll/steps/alltoall.hpp"

#include "mpi_shim/coll/message_algorithms.hpp"

namespace weft::mpi_shim::by_messages {

void alltoall(CollectiveSteps& executor, const Blocks& blocks, const Blocks& places) {
  const Peers peers = executor.members(Collective::alltoall);
  executor.choose(Collective::alltoall, 0, Algorithm::linear, set_of(Algorithm::linear));
  const auto me = static_cast<std::size_t>(peers.rank());
  executor.copy(blocks[me], places[me], peers.rank());
  steps::alltoall_linear(
      executor, peers, [&](int to) { return blocks[static_cast<std::size_t>(to)]; },
      [&](int from) { return places[static_cast<std::size_t>(from)]; });
}

}  // namespace weft::mpi_shim::by_messages
