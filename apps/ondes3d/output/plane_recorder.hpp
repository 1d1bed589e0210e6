// One plane over the course of a run, each rank with its own samples of it.
#pragma once

#include <mpi.h>

#include <vector>

#include "output/plane.hpp"
#include "parallel/decomposition.hpp"
#include "physics/state.hpp"

namespace ondes3d {

template <typename Real>
class PlaneRecorder {
 public:
  // `grid` and `columns` must outlive the recorder.
  PlaneRecorder(MPI_Comm comm, const Grid& grid, const Decomposition& columns, Plane plane);

  // Raises the peaks to the present speeds. The velocities' ghosts must be up to date, here and below.
  void raise_peaks(const State<Real>& state);
  // Keeps the present velocity upwards.
  void keep_snapshot(const State<Real>& state, double time);

  // Collective. East, North, up of each sample on rank 0, nothing on others.
  [[nodiscard]] std::vector<Real> gather_velocity(const State<Real>& state) const;
  // Collective; complete on rank 0.
  [[nodiscard]] PlaneResult gather_result() const;
  [[nodiscard]] const Plane& plane() const { return plane_; }

 private:
  // Collective. The ranks' samples, `components` values each, in the plane's order on rank 0.
  [[nodiscard]] std::vector<Real> gather(const std::vector<Real>& mine, int components) const;

  struct Kept {
    double time = 0;
    std::vector<Real> up;
  };
  MPI_Comm comm_;
  int rank_ = 0;
  const Grid& grid_;
  const Decomposition& columns_;
  Plane plane_;
  Box samples_;
  std::vector<Real> peak_;
  std::vector<Kept> kept_;
};

extern template class PlaneRecorder<float>;
extern template class PlaneRecorder<double>;

}  // namespace ondes3d
