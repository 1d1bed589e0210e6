#include "parallel/load.hpp"

#include <ctime>
#include <numeric>

#include "parallel/weft.hpp"

namespace ondes3d {

double thread_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Load::Load(int steps) : steps_(steps), by_worker_(static_cast<std::size_t>(worker_count()), 0.0) {}

void Load::begin_step(int step) {
  while (window_ + 1 < kWindows && step >= first_step(window_ + 1, steps_)) {
    ++window_;
  }
}

double Load::total() const { return std::accumulate(by_kernel_.begin(), by_kernel_.end(), 0.0); }

void Load::add(Kernel kernel, double seconds) {
  by_kernel_[static_cast<std::size_t>(kernel)] += seconds;
  by_window_[window_] += seconds;
  if (const auto worker = static_cast<std::size_t>(current_worker()); worker < by_worker_.size()) {
    by_worker_[worker] += seconds;
  }
}

LoadTable gather(MPI_Comm comm, const Load& load) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  LoadTable table;
  if (rank == 0) {
    table.by_rank.resize(static_cast<std::size_t>(ranks));
    table.by_window.resize(static_cast<std::size_t>(ranks));
    table.by_worker.resize(load.by_worker().size());
  }
  MPI_Gather(load.by_kernel().data(), kKernels, MPI_DOUBLE, table.by_rank.data(), kKernels, MPI_DOUBLE, 0, comm);
  MPI_Gather(load.by_window().data(), kWindows, MPI_DOUBLE, table.by_window.data(), kWindows, MPI_DOUBLE, 0, comm);
  MPI_Reduce(load.by_worker().data(), table.by_worker.data(), static_cast<int>(load.by_worker().size()), MPI_DOUBLE,
             MPI_SUM, 0, comm);
  return table;
}

}  // namespace ondes3d
