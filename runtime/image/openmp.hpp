// OpenMP's library, which all ranks of a process share.
#pragma once

namespace weft::image {

// Its omp_get_level(): in how many parallel regions, one inside of the other, the calling thread is. Null while no
// OpenMP is loaded.
using OpenmpLevel = int (*)();
OpenmpLevel find_openmp_level();

}  // namespace weft::image
