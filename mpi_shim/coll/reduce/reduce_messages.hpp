// What reductions by messages share.
#pragma once

#include "mpi_shim/coll/reduce/values.hpp"
#include "mpi_shim/coll/steps/reduce.hpp"

namespace weft::mpi_shim::by_messages {

// MPI_Scan and MPI_Exscan.
void scan(CollectiveSteps& executor, const Peers& peers, const Reduction& reduction);

}  // namespace weft::mpi_shim::by_messages
