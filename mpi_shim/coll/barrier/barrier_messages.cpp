// MPI_Barrier by messages.
#include "mpi_shim/coll/steps/barrier.hpp"

#include "mpi_shim/coll/message_algorithms.hpp"

namespace weft::mpi_shim::by_messages {

void barrier(CollectiveSteps& executor) {
  using enum Algorithm;
  const Peers peers = executor.members(Collective::barrier);
  if (executor.choose(Collective::barrier, 0, binomial, set_of(binomial, dissemination)) == dissemination) {
    steps::barrier_dissemination(executor, peers);
  } else {
    steps::barrier_binomial(executor, peers);
  }
}

}  // namespace weft::mpi_shim::by_messages
