// What reductions by messages share.
#pragma once

#include "mpi_shim/coll/reduce/values.hpp"

namespace weft::mpi_shim::spread {

// Collective over the group: combines the members' whole vectors in the fixed tree. The result is member 0's; others
// have none.
void* combine(CollectiveSteps& steps, const Peers& peers, const Reduction& reduction);
// Collective over the group, for the outcome `spread`: every member gets and stores its block of member 0's `whole`.
void take_block(CollectiveSteps& steps, const Peers& peers, const Reduction& reduction, void* whole);
// MPI_Scan and MPI_Exscan.
void combine_prefixes(CollectiveSteps& steps, const Peers& peers, const Reduction& reduction);

}  // namespace weft::mpi_shim::spread
