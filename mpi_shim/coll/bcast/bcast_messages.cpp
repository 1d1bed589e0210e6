// MPI_Bcast by messages.
#include "mpi_shim/coll/steps/bcast.hpp"

#include "mpi_shim/coll/message_algorithms.hpp"

namespace weft::mpi_shim::by_messages {

void bcast(CollectiveSteps& executor, const runtime::Buffer& buffer, int root) {
  using enum Algorithm;
  const Peers peers = executor.members(Collective::bcast);
  const Algorithm built_in = steps::is_worth_pipelining(buffer.bytes) ? pipelined : binomial;
  const bool cut = buffer.bytes > steps::kPipelinedPiece;
  const Algorithms possible = cut ? set_of(binomial, pipelined) : set_of(binomial);
  if (executor.choose(Collective::bcast, buffer.bytes, built_in, possible) == pipelined) {
    steps::bcast_pipelined(executor, peers, root, buffer);
  } else {
    steps::bcast_binomial(executor, peers, root, buffer);
  }
}

}  // namespace weft::mpi_shim::by_messages
