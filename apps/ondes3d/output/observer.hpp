// What a run looks at besides its stations: planes for pictures and peaks, planes and the volume for ParaView.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "output/plane_recorder.hpp"
#include "output/volume_series.hpp"

namespace ondes3d {

struct ObserverOptions {
  int snapshots = 6;  // moments of the wave field, evenly spaced in time
  int paraview = 0;   // steps between two volumes for ParaView; 0: none
  int stride = 1;     // nodes between two of a volume
  int planes = 0;     // steps between two sets of planes for ParaView; 0: none
};

// Creates the folders that an observer writes to, `folder` included. Returns a warning for each series that will stay
// empty; throws std::runtime_error when a folder cannot be made.
[[nodiscard]] std::vector<std::string> make_folders(const std::string& folder, const Case& c,
                                                    const ObserverOptions& options);

template <typename Real>
class Observer {
 public:
  // `c` and `columns` must outlive the observer; make_folders(folder, ...) is done.
  Observer(MPI_Comm comm, const Case& c, const Decomposition& columns, std::string folder, ObserverOptions options);

  // Collective at steps at which something is due. The velocities' ghosts must be up to date. A file that cannot be
  // written does not stop the run: see complaints().
  void after_step(int done, const State<Real>& state);

  // Collective; complete on rank 0.
  [[nodiscard]] std::vector<PlaneResult> gather_planes() const;
  // Collective; on rank 0 the first failure to write of each rank that had one.
  [[nodiscard]] std::vector<std::string> complaints() const;
  // The time series written, their names in the folder.
  [[nodiscard]] std::vector<std::string> series() const;
  // Collective; on rank 0 the seconds of all after_step() on the slowest rank, waiting for others included.
  [[nodiscard]] double longest() const;

 private:
  void write_planes(int done, double time, const State<Real>& state);
  [[nodiscard]] bool snapshot_due(int done) const;
  template <typename Work>
  void attempt(const Work& work);

  MPI_Comm comm_;
  int rank_ = 0;
  const Grid& grid_;
  std::string folder_;
  ObserverOptions options_;
  std::vector<PlaneRecorder<Real>> planes_;
  std::optional<VolumeSeries<Real>> volume_;
  std::vector<std::pair<double, int>> planes_written_;  // time, step
  std::string complaint_;
  double seconds_ = 0;
};

extern template class Observer<float>;
extern template class Observer<double>;

}  // namespace ondes3d
