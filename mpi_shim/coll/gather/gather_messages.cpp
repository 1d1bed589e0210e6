// MPI_Gather(v) and MPI_Scatter(v) by messages: short blocks of equal size go along a binomial tree, others directly
// between the root and each member.
#include "mpi_shim/coll/steps/gather.hpp"

#include "mpi_shim/coll/message_algorithms.hpp"

namespace weft::mpi_shim::by_messages {
namespace {

constexpr std::size_t kShortBlock = 2048;

struct Plan {
  std::size_t block;  // bytes of each block; 0 if they may differ
  Algorithm algorithm;
};

Plan plan_of(CollectiveSteps& executor, const RootedCall& call, const CheckedRooted& rooted) {
  using enum Algorithm;
  const bool alike = call.kind == Collective::gather || call.kind == Collective::scatter;
  const std::size_t block = !alike ? 0 : rooted.is_root ? rooted.side.blocks.bytes() : rooted.own.bytes;
  const Algorithm built_in = alike && block <= kShortBlock ? binomial : linear;
  const Algorithms possible = alike ? set_of(binomial, linear) : set_of(linear);
  return {block, executor.choose(base_collective(call.kind), block, built_in, possible)};
}

// Block i of the root's.
auto block_of(const CheckedRooted& rooted) {
  return [&rooted](int member) { return rooted.side.blocks[static_cast<std::size_t>(member)]; };
}

using Places = steps::RootedPlaces<CollectiveSteps, decltype(block_of(std::declval<const CheckedRooted&>()))>;

}  // namespace

void gather(CollectiveSteps& executor, const RootedCall& call, const CheckedRooted& rooted) {
  const Peers peers = executor.members(call.kind);
  const Plan plan = plan_of(executor, call, rooted);
  const Places places{call.root, rooted.own, block_of(rooted)};
  if (plan.algorithm == Algorithm::linear) {
    steps::gather_linear(executor, peers, places);
  } else if (plan.block != 0) {
    steps::gather_binomial(executor, peers, plan.block, places);
  }
  if (rooted.is_root && !rooted.in_place) {
    executor.copy(rooted.own, rooted.side.blocks[static_cast<std::size_t>(call.root)], call.root);
  }
}

void scatter(CollectiveSteps& executor, const RootedCall& call, const CheckedRooted& rooted) {
  const Peers peers = executor.members(call.kind);
  const Plan plan = plan_of(executor, call, rooted);
  const Places places{call.root, rooted.own, block_of(rooted)};
  if (plan.algorithm == Algorithm::linear) {
    steps::scatter_linear(executor, peers, places);
  } else if (plan.block != 0) {
    steps::scatter_binomial(executor, peers, plan.block, places);
  }
  if (rooted.is_root && !rooted.in_place) {
    executor.copy(rooted.side.blocks[static_cast<std::size_t>(call.root)], rooted.own, call.root);
  }
}

}  // namespace weft::mpi_shim::by_messages
