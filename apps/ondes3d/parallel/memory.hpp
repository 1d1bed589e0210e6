// How much memory the job's processes took.
#pragma once

#include <mpi.h>

namespace ondes3d {

// Collective. The largest resident set that any process had so far, in bytes; whole on rank 0 only. Under Weft a
// process holds many ranks.
[[nodiscard]] double peak_memory(MPI_Comm comm);

}  // namespace ondes3d
