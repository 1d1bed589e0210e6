#include "parallel/memory.hpp"

#include <sys/resource.h>

namespace ondes3d {

double peak_memory(MPI_Comm comm) {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  const double own = 1024.0 * static_cast<double>(usage.ru_maxrss);
  double most = 0;
  MPI_Reduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, 0, comm);
  return most;
}

}  // namespace ondes3d
