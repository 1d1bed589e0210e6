#include "mpi_shim/coll/reduce/reduction_messages.hpp"

#include "mpi_shim/coll/message_algorithms.hpp"

namespace weft::mpi_shim::by_messages {
namespace {

// Least bytes of a member's part, and of the vector, from which reduce_scatter_allgather is built in.
constexpr std::size_t kLongPart = 4096;
constexpr std::size_t kLongVector = std::size_t{64} << 10;

}  // namespace

std::size_t bytes_of_element(const Reduction& reduction) {
  return reduction.user_op != nullptr ? reduction.type->size() : element_bytes(*reduction.type);
}

Algorithm choose_by_length(CollectiveSteps& executor, const Reduction& reduction, int members) {
  using enum Algorithm;
  const Collective call = base_collective(reduction.call);
  const std::size_t bytes = reduction.elements * bytes_of_element(reduction);
  const bool is_long = bytes >= kLongVector && bytes >= kLongPart * static_cast<std::size_t>(members);
  const Algorithm built_in = is_long ? reduce_scatter_allgather : binomial;
  return executor.choose(call, bytes, built_in, algorithms_of(call, CallForm::several_processes));
}

}  // namespace weft::mpi_shim::by_messages

namespace weft::mpi_shim {
inline namespace coll {

void run_intracomm_reduction(CollectiveSteps& executor, const Reduction& reduction) {
  switch (reduction.outcome) {
    case Outcome::at_root:
      by_messages::reduce(executor, reduction);
      break;
    case Outcome::at_all:
      by_messages::allreduce(executor, reduction);
      break;
    case Outcome::scattered:
      by_messages::reduce_scatter(executor, reduction);
      break;
    case Outcome::scan:
    case Outcome::exscan:
      by_messages::scan(executor, reduction);
      break;
  }
}

void run_reduction(CollectiveSteps& executor, const CheckedReduction& checked) {
  if (!checked.comm->is_inter()) {
    run_intracomm_reduction(executor, checked.reduction);
  } else if (checked.reduction.outcome != Outcome::at_root || checked.reduction.root != MPI_PROC_NULL) {
    by_messages::inter_reduce(executor, checked.reduction);
  }
}

}  // namespace coll
}  // namespace weft::mpi_shim
