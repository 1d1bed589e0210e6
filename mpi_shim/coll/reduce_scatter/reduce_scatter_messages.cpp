// MPI_Reduce_scatter(_block) by messages: short vectors go up a binomial tree, of long ones every member combines its
// own block.
#include "mpi_shim/coll/steps/reduce_scatter.hpp"

#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/reduce/reduction_messages.hpp"

namespace weft::mpi_shim::by_messages {

void reduce_scatter(CollectiveSteps& executor, const Reduction& reduction) {
  executor.begin_reduction(reduction);
  const Peers peers = executor.members(reduction.call);
  const Algorithm chosen = choose_by_length(executor, reduction, peers.size());
  ReductionValues values(executor, reduction);
  if (chosen == Algorithm::reduce_scatter_allgather) {
    steps::reduce_scatter_linear(executor, peers, values, reduction.starts);
  } else {
    steps::reduce_scatter_binomial(executor, peers, values, reduction.starts);
  }
}

}  // namespace weft::mpi_shim::by_messages
