#include "output/volume_series.hpp"

#include <span>

#include "output/node_velocity.hpp"
#include "output/out_file.hpp"
#include "parallel/halo.hpp"

namespace ondes3d {
namespace {

constexpr int kBorderTag = 320;

template <typename Visit>
void for_each_sample(const Box& box, const Visit& visit) {
  for (int k = box.lo[2]; k < box.hi[2]; ++k) {
    for (int j = box.lo[1]; j < box.hi[1]; ++j) {
      for (int i = box.lo[0]; i < box.hi[0]; ++i) {
        visit(Index3{i, j, k});
      }
    }
  }
}

}  // namespace

template <typename Real>
VolumeSeries<Real>::VolumeSeries(MPI_Comm comm, const Grid& grid, const Decomposition& columns, int stride,
                                 std::string folder)
    : comm_(comm),
      grid_(grid),
      columns_(columns),
      folder_(std::move(folder)),
      lattice_(volume_lattice(grid, stride)),
      frame_{lattice_.box(), lattice_.origin(grid), lattice_.spacing(grid)} {
  MPI_Comm_rank(comm, &rank_);
  samples_ = lattice_.samples_in(columns.own(rank_));
  piece_ = piece_of(rank_);
  // Borders across one, two or three axes: planes, edges, corners.
  for (unsigned axes = 1; axes < 8 && samples_.volume() > 0; ++axes) {
    connect(axes);
  }
}

template <typename Real>
void VolumeSeries<Real>::connect(unsigned axes) {
  Box out = samples_;
  Box in = samples_;
  Index3 before = samples_.lo;
  bool sends = true;
  bool receives = true;
  for (std::size_t d = 0; d < 3; ++d) {
    if ((axes >> d & 1U) != 0) {
      sends = sends && samples_.lo[d] > 0;
      receives = receives && samples_.hi[d] < lattice_.count[d];
      before[d] = samples_.lo[d] - 1;
      out.hi[d] = samples_.lo[d] + 1;
      in.lo[d] = samples_.hi[d];
      in.hi[d] = samples_.hi[d] + 1;
    }
  }
  const int tag = kBorderTag + static_cast<int>(axes);
  if (sends) {
    sends_.push_back({owner_of(before), tag, out});
  }
  if (receives) {
    receives_.push_back({owner_of(in.lo), tag, in});
  }
}

template <typename Real>
int VolumeSeries<Real>::owner_of(const Index3& sample) const {
  int rank = 0;
  while (!columns_.own(rank).contains(lattice_.node(sample))) {
    ++rank;
  }
  return rank;
}

template <typename Real>
Box VolumeSeries<Real>::piece_of(int rank) const {
  Box piece = lattice_.samples_in(columns_.own(rank));
  for (std::size_t d = 0; d < 3; ++d) {
    if (piece.lo[d] < piece.hi[d]) {
      piece.hi[d] = std::min(piece.hi[d] + 1, lattice_.count[d]);
    }
  }
  return piece;
}

template <typename Real>
std::size_t VolumeSeries<Real>::at(const Index3& sample) const {
  const auto offset = [&](std::size_t d) { return static_cast<std::size_t>(sample[d] - piece_.lo[d]); };
  return 3 * ((offset(2) * static_cast<std::size_t>(piece_.extent(1)) + offset(1)) *
                  static_cast<std::size_t>(piece_.extent(0)) +
              offset(0));
}

template <typename Real>
std::vector<Real> VolumeSeries<Real>::collect(const State<Real>& state) const {
  std::vector<Real> own;
  own.reserve(3 * samples_.volume());
  for_each_velocity(NodeVelocities(state, grid_, columns_.own(rank_)), lattice_, samples_,
                    [&](const std::array<Real, 3>& v) { own.insert(own.end(), v.begin(), v.end()); });
  std::vector<Real> values(3 * piece_.volume());
  auto from = own.begin();
  for_each_sample(samples_, [&](const Index3& sample) {
    std::copy_n(from, 3, values.begin() + static_cast<std::ptrdiff_t>(at(sample)));
    from += 3;
  });
  return values;
}

template <typename Real>
void VolumeSeries<Real>::exchange(std::vector<Real>& values) const {
  std::vector<std::vector<Real>> outgoing;
  std::vector<MPI_Request> requests;
  for (const Link& link : sends_) {
    auto& packed = outgoing.emplace_back();
    for_each_sample(link.samples, [&](const Index3& sample) {
      const auto from = values.begin() + static_cast<std::ptrdiff_t>(at(sample));
      packed.insert(packed.end(), from, from + 3);
    });
    MPI_Isend(packed.data(), static_cast<int>(packed.size()), mpi_type<Real>(), link.peer, link.tag, comm_,
              &requests.emplace_back());
  }
  for (const Link& link : receives_) {
    std::vector<Real> packed(3 * link.samples.volume());
    MPI_Recv(packed.data(), static_cast<int>(packed.size()), mpi_type<Real>(), link.peer, link.tag, comm_,
             MPI_STATUS_IGNORE);
    auto from = packed.begin();
    for_each_sample(link.samples, [&](const Index3& sample) {
      std::copy_n(from, 3, values.begin() + static_cast<std::ptrdiff_t>(at(sample)));
      from += 3;
    });
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

template <typename Real>
void VolumeSeries<Real>::write(const State<Real>& state, int step, double time) {
  std::vector<Real> values = collect(state);
  exchange(values);
  if (samples_.volume() > 0) {
    write_vti(format("%s/velocity/%06d-%04d.vti", folder_.c_str(), step, rank_), frame_, piece_,
              {image_array<Real>("velocity", 3, values)});
  }
  if (rank_ == 0) {
    write_index(step, time);
  }
}

template <typename Real>
void VolumeSeries<Real>::write_index(int step, double time) {
  std::vector<std::pair<Box, std::string>> pieces;
  for (int rank = 0; rank < columns_.ranks(); ++rank) {
    if (const Box piece = piece_of(rank); piece.volume() > 0) {
      pieces.emplace_back(piece, format("%06d-%04d.vti", step, rank));
    }
  }
  written_.emplace_back(time, format("velocity/%06d.pvti", step));
  write_pvti(folder_ + "/" + written_.back().second, frame_, {image_array<Real>("velocity", 3, {})}, pieces);
  // The series is whole after each moment: a run can be looked at while it goes on.
  write_pvd(folder_ + "/velocity.pvd", written_);
}

template class VolumeSeries<float>;
template class VolumeSeries<double>;

}  // namespace ondes3d
