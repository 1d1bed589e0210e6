// MPI_Gather(v) by messages.
#include "mpi_shim/coll/steps/gather.hpp"

#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/rooted_messages.hpp"

namespace weft::mpi_shim::by_messages {

void gather(CollectiveSteps& executor, const RootedCall& call, const CheckedRooted& rooted) {
  const Peers peers = executor.members(call.kind);
  const RootedPlan plan = plan_of(executor, call, rooted);
  const auto places = places_of(call, rooted);
  if (plan.algorithm == Algorithm::linear) {
    steps::gather_linear(executor, peers, places);
  } else if (plan.block != 0) {
    steps::gather_binomial(executor, peers, plan.block, places);
  }
  if (rooted.is_root && !rooted.in_place) {
    executor.copy(rooted.own, rooted.side.blocks[static_cast<std::size_t>(call.root)], call.root);
  }
}

}  // namespace weft::mpi_shim::by_messages
