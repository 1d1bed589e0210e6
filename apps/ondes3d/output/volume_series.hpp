// The velocity of the whole volume for ParaView: at each moment every rank writes its own piece.
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

#include "output/lattice.hpp"
#include "output/vti.hpp"
#include "parallel/decomposition.hpp"
#include "physics/state.hpp"

namespace ondes3d {

// Writes FOLDER/velocity/STEP-RANK.vti, FOLDER/velocity/STEP.pvti and FOLDER/velocity.pvd.
template <typename Real>
class VolumeSeries {
 public:
  // The folders exist. `grid` and `columns` must outlive the series.
  VolumeSeries(MPI_Comm comm, const Grid& grid, const Decomposition& columns, int stride, std::string folder);

  // Collective; the velocities' ghosts must be up to date. Throws std::runtime_error, after all messages, when this
  // rank cannot write.
  void write(const State<Real>& state, int step, double time);

 private:
  // Samples along the borders that pieces share, from the rank that owns them.
  struct Link {
    int peer = 0;
    int tag = 0;
    Box samples;
  };
  void connect(unsigned axes);
  [[nodiscard]] int owner_of(const Index3& sample) const;
  [[nodiscard]] std::vector<Real> collect(const State<Real>& state) const;
  void exchange(std::vector<Real>& values) const;
  void write_index(int step, double time);
  // A rank's samples and those on the first plane of its neighbours to the east, north and above.
  [[nodiscard]] Box piece_of(int rank) const;
  [[nodiscard]] std::size_t at(const Index3& sample) const;

  MPI_Comm comm_;
  int rank_ = 0;
  const Grid& grid_;
  const Decomposition& columns_;
  std::string folder_;
  Lattice lattice_;
  ImageFrame frame_;
  Box samples_;
  Box piece_;
  std::vector<Link> sends_;
  std::vector<Link> receives_;
  std::vector<std::pair<double, std::string>> written_;
};

extern template class VolumeSeries<float>;
extern template class VolumeSeries<double>;

}  // namespace ondes3d
