#include "parallel/weft.hpp"

#include <mpi.h>

namespace ondes3d {

#ifdef WEFT_VERSION

void let_ranks_move() { MPI_Migrate(); }
int worker_count() { return weft_worker_count(); }
int current_worker() { return weft_worker(); }

#else

void let_ranks_move() {}
int worker_count() { return 0; }
int current_worker() { return 0; }

#endif

}  // namespace ondes3d
