// What MPI_Gather(v) and MPI_Scatter(v) by messages share: short blocks of equal size go along a binomial tree, others
// directly between the root and each member.
#pragma once

#include "mpi_shim/coll/collective_steps.hpp"
#include "mpi_shim/coll/rooted_call.hpp"
#include "mpi_shim/coll/steps/rooted.hpp"

namespace weft::mpi_shim::by_messages {

struct RootedPlan {
  std::size_t block;    // bytes of each block; 0 if they may differ
  Algorithm algorithm;  // binomial or linear
};

RootedPlan plan_of(CollectiveSteps& executor, const RootedCall& call, const CheckedRooted& rooted);

// The call's buffers.
inline auto places_of(const RootedCall& call, const CheckedRooted& rooted) {
  const auto block_of = [&rooted](int member) { return rooted.side.blocks[static_cast<std::size_t>(member)]; };
  return steps::RootedPlaces<CollectiveSteps, decltype(block_of)>{call.root, rooted.own, block_of};
}

}  // namespace weft::mpi_shim::by_messages
