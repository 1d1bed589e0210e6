// MPI_Allreduce by messages: short vectors go up a binomial tree, or are exchanged by recursive doubling along it; of
// long ones every member combines a part.
#include "mpi_shim/coll/steps/allreduce.hpp"

#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/reduce/reduction_messages.hpp"

namespace weft::mpi_shim::by_messages {

void allreduce(CollectiveSteps& executor, const Reduction& reduction) {
  executor.begin_reduction(reduction);
  const Peers peers = executor.members(reduction.call);
  const Algorithm chosen = choose_by_length(executor, reduction, peers.size());
  ReductionValues values(executor, reduction);
  if (chosen == Algorithm::recursive_doubling) {
    steps::allreduce_recursive_doubling(executor, peers, values, reduction.elements);
  } else if (chosen == Algorithm::reduce_scatter_allgather) {
    steps::allreduce_reduce_scatter_allgather(executor, peers, values, reduction.elements);
  } else {
    steps::allreduce_binomial(executor, peers, values, reduction.elements);
  }
}

}  // namespace weft::mpi_shim::by_messages
