// Balanced factors: MPI_Dims_create.
#pragma once

#include <vector>

namespace weft::mpi_shim {
inline namespace topology {

// `count` >= 1 factors of `nodes` >= 1, largest first. The difference between the largest and the smallest factor is as
// small as possible; among equal differences the largest first factor decides, and then the smallest sum.
std::vector<int> balanced_factors(int nodes, int count);

}  // namespace topology
}  // namespace weft::mpi_shim
