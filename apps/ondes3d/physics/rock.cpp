#include "physics/rock.hpp"

#include <utility>

namespace ondes3d {
namespace {

// Harmonic mean of the four shear moduli around an edge; 0 where one of them is.
double edge_shear(const Elastic& a, const Elastic& b, const Elastic& c, const Elastic& d) {
  if (a.mu == 0 || b.mu == 0 || c.mu == 0 || d.mu == 0) {
    return 0;
  }
  return 4 / (1 / a.mu + 1 / b.mu + 1 / c.mu + 1 / d.mu);
}

double face_lightness(const Elastic& a, const Elastic& b) {
  const double twice = a.rho + b.rho;
  return twice > 0 ? 2 / twice : 0;
}

// The nodes of one plane of `own` and those beyond its east and north sides.
std::vector<Elastic> sample(const Geology& geology, const Grid& grid, const Box& own, int k) {
  std::vector<Elastic> plane;
  plane.reserve(static_cast<std::size_t>(own.extent(0) + 1) * static_cast<std::size_t>(own.extent(1) + 1));
  for (int j = own.lo[1]; j <= own.hi[1]; ++j) {
    for (int i = own.lo[0]; i <= own.hi[0]; ++i) {
      plane.push_back(
          geology.at({std::min(i, grid.cells[0] - 1), std::min(j, grid.cells[1] - 1), std::min(k, grid.cells[2] - 1)}));
    }
  }
  return plane;
}

}  // namespace

template <typename Real>
Rock<Real>::Rock(const Grid& grid, const Box& own, const Layers& layers)
    : counts_{own.extent(0), own.extent(1), own.extent(2)} {
  const auto all = make_levels<Real>(grid, layers);
  levels_.assign(all.begin() + own.lo[2], all.begin() + own.hi[2]);
}

template <typename Real>
Rock<Real>::Rock(const Grid& grid, const Box& own, const Geology& geology)
    : counts_{own.extent(0), own.extent(1), own.extent(2)}, field_(own.volume()), cells_(kFields * field_ + kPadding) {
  auto here = sample(geology, grid, own, own.lo[2]);
  for (int k = 0; k < counts_[2]; ++k) {
    const int level = own.lo[2] + k;
    auto above = sample(geology, grid, own, level + 1);
    const bool top = level == grid.cells[2] - 1;
    fill_plane(k, top, grid.timestep, here, above);
    Level<Real> shape;
    shape.diagonal_z = top ? 0 : 1;
    shape.dz = velocity_weights<Real>(grid, level);
    levels_.push_back(shape);
    here = std::move(above);
  }
}

template <typename Real>
void Rock<Real>::fill_plane(int k, bool top, double dt, const std::vector<Elastic>& here,
                            const std::vector<Elastic>& above) {
  const auto north = static_cast<std::size_t>(counts_[0]) + 1;
  std::size_t to =
      static_cast<std::size_t>(k) * static_cast<std::size_t>(counts_[0]) * static_cast<std::size_t>(counts_[1]);
  const auto put = [&](std::size_t field, double value) {
    cells_[field * field_ + to] = static_cast<Real>(dt * value);
  };
  for (int j = 0; j < counts_[1]; ++j) {
    for (int i = 0; i < counts_[0]; ++i, ++to) {
      const std::size_t n = static_cast<std::size_t>(j) * north + static_cast<std::size_t>(i);
      const Elastic& rock = here[n];
      const double modulus = rock.lambda + 2 * rock.mu;
      const double lost = top && modulus > 0 ? rock.lambda * rock.lambda / modulus : 0;
      put(0, modulus - lost);
      put(1, rock.lambda - lost);
      put(2, top ? 0 : edge_shear(rock, here[n + north], above[n], above[n + north]));
      put(3, top ? 0 : edge_shear(rock, here[n + 1], above[n], above[n + 1]));
      put(4, edge_shear(rock, here[n + 1], here[n + north], here[n + north + 1]));
      put(5, face_lightness(rock, here[n + 1]));
      put(6, face_lightness(rock, here[n + north]));
      put(7, top ? 0 : face_lightness(rock, above[n]));
    }
  }
}

template class Rock<float>;
template class Rock<double>;

}  // namespace ondes3d
