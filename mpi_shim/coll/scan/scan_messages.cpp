// MPI_Scan and MPI_Exscan by messages.
#include "mpi_shim/coll/steps/scan.hpp"

#include <algorithm>

#include "mpi_shim/coll/reduce/reduce_messages.hpp"

namespace weft::mpi_shim::by_messages {
namespace {

constexpr std::size_t kPieceOfChain = std::size_t{64} << 10;

}  // namespace

void scan(CollectiveSteps& executor, const Peers& peers, const Reduction& reduction) {
  ReductionValues values(executor, reduction);
  const std::size_t bytes =
      std::max<std::size_t>(reduction.user_op != nullptr ? reduction.type->size() : element_bytes(*reduction.type), 1);
  const std::size_t unit = values.unit();
  const std::size_t piece = std::max<std::size_t>(kPieceOfChain / (bytes * unit), 1) * unit;
  steps::scan_chain(executor, peers, values, {reduction.elements, piece, reduction.outcome == Outcome::exscan});
}

}  // namespace weft::mpi_shim::by_messages
