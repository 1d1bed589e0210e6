// Where a rank's computing time goes: by macro kernel, and by the worker it ran on.
#pragma once

#include <mpi.h>

#include <array>
#include <vector>

#include "physics/subdomain.hpp"

namespace ondes3d {

enum class Kernel { kIntermediates, kStress, kVelocity };
inline constexpr std::size_t kKernels = 3;

// Parts of the run, equally many steps each, in which the load is booked apart.
inline constexpr std::size_t kWindows = 8;
[[nodiscard]] inline int first_step(std::size_t window, int steps) {
  return static_cast<int>(static_cast<std::size_t>(steps) * window / kWindows);
}

// Processor seconds of the calling thread. Not the time on the wall: ranks share cores.
[[nodiscard]] double thread_seconds();

class Load {
 public:
  // Of a run of so many steps.
  explicit Load(int steps);

  // What is booked from now on belongs to this step.
  void begin_step(int step);

  // Runs `work` and books its time by the KernelShares that it returns. The work must not call MPI: the rank would
  // change threads.
  template <typename Work>
  void book(const Work& work) {
    const double begin = thread_seconds();
    const KernelShares shares = work();
    const double seconds = thread_seconds() - begin;
    add(Kernel::kIntermediates, seconds * shares.intermediates);
    add(Kernel::kStress, seconds * shares.stress);
    add(Kernel::kVelocity, seconds * shares.velocity);
  }

  [[nodiscard]] double total() const;
  [[nodiscard]] const std::array<double, kKernels>& by_kernel() const { return by_kernel_; }
  [[nodiscard]] const std::array<double, kWindows>& by_window() const { return by_window_; }
  [[nodiscard]] const std::vector<double>& by_worker() const { return by_worker_; }

 private:
  void add(Kernel kernel, double seconds);
  int steps_;
  std::size_t window_ = 0;
  std::array<double, kKernels> by_kernel_{};
  std::array<double, kWindows> by_window_{};
  std::vector<double> by_worker_;
};

// All ranks' loads, in rank order; whole on rank 0 only.
struct LoadTable {
  std::vector<std::array<double, kKernels>> by_rank;
  std::vector<std::array<double, kWindows>> by_window;  // of each rank
  std::vector<double> by_worker;
};

// Collective.
[[nodiscard]] LoadTable gather(MPI_Comm comm, const Load& load);

}  // namespace ondes3d
