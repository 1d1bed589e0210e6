// MPI_Reduce by messages: short vectors go up a binomial tree, of long ones every member combines a part.
#include "mpi_shim/coll/steps/reduce.hpp"

#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/reduce/reduction_messages.hpp"

namespace weft::mpi_shim::by_messages {

void reduce(CollectiveSteps& executor, const Reduction& reduction) {
  executor.begin_reduction(reduction);
  const Peers peers = executor.members(reduction.call);
  const Algorithm chosen = choose_by_length(executor, reduction, peers.size());
  ReductionValues values(executor, reduction);
  if (chosen == Algorithm::reduce_scatter_allgather) {
    steps::reduce_reduce_scatter_gather(executor, peers, values, reduction.elements, reduction.root);
  } else {
    steps::reduce_binomial(executor, peers, values, reduction.elements, reduction.root);
  }
}

}  // namespace weft::mpi_shim::by_messages
