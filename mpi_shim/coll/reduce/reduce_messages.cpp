// Chooses the algorithm of a reduction by messages. Short vectors go up the binomial tree of steps/reduce.hpp, or are
// exchanged by recursive doubling along it. Of long vectors every member combines a part.
#include "mpi_shim/coll/reduce/reduce_messages.hpp"

#include "mpi_shim/coll/message_algorithms.hpp"

namespace weft::mpi_shim::by_messages {
namespace {

// Least bytes of a member's part, and of the vector, from which reduce_scatter_allgather is built in.
constexpr std::size_t kLongPart = 4096;
constexpr std::size_t kLongVector = std::size_t{64} << 10;

std::size_t element_of(const Reduction& reduction) {
  return reduction.user_op != nullptr ? reduction.type->size() : element_bytes(*reduction.type);
}

Algorithm algorithm_of(CollectiveSteps& executor, const Reduction& reduction, int members) {
  using enum Algorithm;
  const Collective call = base_collective(reduction.call);
  const std::size_t bytes = reduction.elements * element_of(reduction);
  const bool is_long = bytes >= kLongVector && bytes >= kLongPart * static_cast<std::size_t>(members);
  const Algorithm built_in = call == Collective::scan ? chain : is_long ? reduce_scatter_allgather : binomial;
  return executor.choose(call, bytes, built_in, algorithms_of(call, CallForm::several_processes));
}

void reduce_to_root(CollectiveSteps& executor, const Peers& peers, const Reduction& reduction, Algorithm chosen) {
  ReductionValues values(executor, reduction);
  if (chosen == Algorithm::reduce_scatter_allgather) {
    steps::reduce_reduce_scatter_gather(executor, peers, values, reduction.elements, reduction.root);
  } else {
    steps::reduce_binomial(executor, peers, values, reduction.elements, reduction.root);
  }
}

void reduce_to_all(CollectiveSteps& executor, const Peers& peers, const Reduction& reduction, Algorithm chosen) {
  ReductionValues values(executor, reduction);
  if (chosen == Algorithm::recursive_doubling) {
    steps::allreduce_recursive_doubling(executor, peers, values, reduction.elements);
  } else if (chosen == Algorithm::reduce_scatter_allgather) {
    steps::allreduce_reduce_scatter_allgather(executor, peers, values, reduction.elements);
  } else {
    steps::allreduce_binomial(executor, peers, values, reduction.elements);
  }
}

void reduce_to_blocks(CollectiveSteps& executor, const Peers& peers, const Reduction& reduction, Algorithm chosen) {
  ReductionValues values(executor, reduction);
  if (chosen == Algorithm::reduce_scatter_allgather) {
    steps::reduce_scatter_linear(executor, peers, values, reduction.starts);
  } else {
    steps::reduce_scatter_binomial(executor, peers, values, reduction.starts);
  }
}

}  // namespace

void reduce(CollectiveSteps& executor, const Reduction& reduction) {
  executor.begin_reduction(reduction);
  const Peers peers = executor.members(reduction.call);
  const Algorithm chosen = algorithm_of(executor, reduction, peers.size());
  switch (reduction.outcome) {
    case Outcome::at_root:
      reduce_to_root(executor, peers, reduction, chosen);
      break;
    case Outcome::at_all:
      reduce_to_all(executor, peers, reduction, chosen);
      break;
    case Outcome::scattered:
      reduce_to_blocks(executor, peers, reduction, chosen);
      break;
    case Outcome::scan:
    case Outcome::exscan:
      scan(executor, peers, reduction);
      break;
  }
}

}  // namespace weft::mpi_shim::by_messages
