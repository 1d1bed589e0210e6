// Balanced factors: MPI_Dims_create.
#pragma once

#include <vector>

namespace weft::mpi_shim {
inline namespace topology {

// `count` factors of `nodes` >= 1, largest first, with the smallest difference between the largest and the smallest;
// among those, with the smallest sum.
std::vector<int> balanced_factors(int nodes, int count);

}  // namespace topology
}  // namespace weft::mpi_shim
