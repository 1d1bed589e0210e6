// MPI_Scan and MPI_Exscan by messages.
#include "mpi_shim/coll/steps/scan.hpp"

#include <algorithm>

#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/reduce/reduction_messages.hpp"

namespace weft::mpi_shim::by_messages {
namespace {

constexpr std::size_t kPieceOfChain = std::size_t{64} << 10;

}  // namespace

void scan(CollectiveSteps& executor, const Reduction& reduction) {
  executor.begin_reduction(reduction);
  const Peers peers = executor.members(reduction.call);
  const std::size_t element = bytes_of_element(reduction);
  executor.choose(Collective::scan, reduction.elements * element, Algorithm::chain, set_of(Algorithm::chain));
  ReductionValues values(executor, reduction);
  const std::size_t unit = values.unit();
  const std::size_t piece = std::max<std::size_t>(kPieceOfChain / (std::max<std::size_t>(element, 1) * unit), 1) * unit;
  steps::scan_chain(executor, peers, values, {reduction.elements, piece, reduction.outcome == Outcome::exscan});
}

}  // namespace weft::mpi_shim::by_messages
