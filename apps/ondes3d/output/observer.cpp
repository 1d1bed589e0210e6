#include "output/observer.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "output/out_file.hpp"

namespace ondes3d {
namespace {

constexpr int kComplaintTag = 330;

std::string paraview_folder(const std::string& folder) { return folder + "/paraview"; }

}  // namespace

std::vector<std::string> make_folders(const std::string& folder, const Case& c, const ObserverOptions& options) {
  std::vector<std::string> folders{folder};
  std::vector<std::string> warnings;
  const auto series = [&](const char* option, int every, const std::string& name) {
    if (every > 0 && every <= c.model.grid.steps) {
      folders.push_back(paraview_folder(folder) + "/" + name);
    } else if (every > 0) {
      warnings.push_back(format("%s %d writes nothing: the run has %d steps", option, every, c.model.grid.steps));
    }
  };
  series("--paraview", options.paraview, "velocity");
  for (const Plane& plane : planes_of(c)) {
    series("--planes", options.planes, plane.name);
  }
  for (const std::string& path : folders) {
    std::error_code error;
    if (std::filesystem::create_directories(path, error); error) {
      throw std::runtime_error(path + ": the folder cannot be made: " + error.message() + "; take another --out");
    }
  }
  warnings.erase(std::unique(warnings.begin(), warnings.end()), warnings.end());
  return warnings;
}

template <typename Real>
Observer<Real>::Observer(MPI_Comm comm, const Case& c, const Decomposition& columns, std::string folder,
                         ObserverOptions options)
    : comm_(comm), grid_(c.model.grid), folder_(paraview_folder(folder)), options_(options) {
  MPI_Comm_rank(comm, &rank_);
  for (Plane& plane : planes_of(c)) {
    planes_.emplace_back(comm, grid_, columns, std::move(plane));
  }
  if (options_.paraview > 0) {
    volume_.emplace(comm, grid_, columns, options_.stride, folder_);
  }
}

template <typename Real>
void Observer<Real>::after_step(int done, const State<Real>& state) {
  const double begin = MPI_Wtime();
  const double time = done * grid_.timestep;
  const bool picture = snapshot_due(done);
  for (PlaneRecorder<Real>& plane : planes_) {
    plane.raise_peaks(state);
    if (picture) {
      plane.keep_snapshot(state, time);
    }
  }
  if (options_.planes > 0 && done % options_.planes == 0) {
    write_planes(done, time, state);
  }
  if (options_.paraview > 0 && done % options_.paraview == 0) {
    attempt([&] { volume_->write(state, done, time); });
  }
  seconds_ += MPI_Wtime() - begin;
}

template <typename Real>
bool Observer<Real>::snapshot_due(int done) const {
  const auto taken = [&](int n) { return static_cast<long long>(n) * options_.snapshots / grid_.steps; };
  return taken(done) > taken(done - 1);
}

template <typename Real>
void Observer<Real>::write_planes(int done, double time, const State<Real>& state) {
  planes_written_.emplace_back(time, done);
  for (const PlaneRecorder<Real>& recorder : planes_) {
    const std::vector<Real> velocity = recorder.gather_velocity(state);
    if (rank_ != 0) {
      continue;
    }
    const Plane& plane = recorder.plane();
    attempt([&] {
      write_vti(format("%s/%s/%06d.vti", folder_.c_str(), plane.name.c_str(), done),
                {plane.lattice.box(), plane.lattice.origin(grid_), plane.lattice.spacing(grid_)}, plane.lattice.box(),
                {image_array<Real>("velocity", 3, velocity)});
      std::vector<std::pair<double, std::string>> files;
      for (const auto& [when, step] : planes_written_) {
        files.emplace_back(when, format("%s/%06d.vti", plane.name.c_str(), step));
      }
      write_pvd(folder_ + "/" + plane.name + ".pvd", files);
    });
  }
}

template <typename Real>
template <typename Work>
void Observer<Real>::attempt(const Work& work) {
  try {
    work();
  } catch (const std::exception& error) {
    if (complaint_.empty()) {
      complaint_ = error.what();
    }
  }
}

template <typename Real>
double Observer<Real>::longest() const {
  double most = 0;
  MPI_Reduce(&seconds_, &most, 1, MPI_DOUBLE, MPI_MAX, 0, comm_);
  return most;
}

template <typename Real>
std::vector<PlaneResult> Observer<Real>::gather_planes() const {
  std::vector<PlaneResult> results;
  for (const PlaneRecorder<Real>& plane : planes_) {
    results.push_back(plane.gather_result());
  }
  return results;
}

template <typename Real>
std::vector<std::string> Observer<Real>::series() const {
  std::vector<std::string> names;
  if (volume_ && options_.paraview <= grid_.steps) {
    names.emplace_back("paraview/velocity.pvd");
  }
  for (const PlaneRecorder<Real>& recorder : planes_) {
    if (!planes_written_.empty()) {
      names.push_back("paraview/" + recorder.plane().name + ".pvd");
    }
  }
  return names;
}

template <typename Real>
std::vector<std::string> Observer<Real>::complaints() const {
  int ranks = 0;
  MPI_Comm_size(comm_, &ranks);
  const int mine = static_cast<int>(complaint_.size());
  std::vector<int> lengths(static_cast<std::size_t>(ranks));
  MPI_Gather(&mine, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, comm_);
  if (rank_ != 0) {
    if (mine > 0) {
      MPI_Send(complaint_.data(), mine, MPI_CHAR, 0, kComplaintTag, comm_);
    }
    return {};
  }
  std::vector<std::string> all;
  if (mine > 0) {
    all.push_back(complaint_);
  }
  for (int rank = 1; rank < ranks; ++rank) {
    if (const int length = lengths[static_cast<std::size_t>(rank)]; length > 0) {
      auto& text = all.emplace_back(static_cast<std::size_t>(length), ' ');
      MPI_Recv(text.data(), length, MPI_CHAR, rank, kComplaintTag, comm_, MPI_STATUS_IGNORE);
    }
  }
  return all;
}

template class Observer<float>;
template class Observer<double>;

}  // namespace ondes3d
