// Point sources: a moment tensor whose rate follows a history, spread over the neighbouring cells.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "physics/difference.hpp"
#include "physics/state.hpp"

namespace ondes3d {

// Symmetric tensor: xx yy zz, then yz xz xy (by the axis they lack).
struct MomentTensor {
  Vec3 normal{};
  Vec3 shear{};
};

// Unit double couple of a slip on a plane; angles in degrees, x East, y North, z up (Aki & Richards 2002, box 4.4,
// turned from North, East, down).
[[nodiscard]] MomentTensor double_couple(double strike, double dip, double rake);

// Fixed part of one sub-source, the same on every rank.
struct SourcePoint {
  Vec3 position{};  // m
  double strike = 0, dip = 0, rake = 0;
};

// One sub-source and its moment rate (N m / s), `interval` seconds between samples. Sample 0 belongs to t = 0; `rate`
// begins with sample `first`, those before it and after the last one are 0: thousands of sub-sources wait most of the
// time.
struct Source {
  SourcePoint point;
  std::vector<float> rate;
  double interval = 0;
  int first = 0;
};

// Moment rate at time t, linear between samples.
[[nodiscard]] double moment_rate(std::span<const float> rate, double interval, double t, int first = 0);

// The values around a point and their weights, for a field that is staggered by half a cell along the axes in `half`:
// linear along each axis. A point above the last plane of its field, half a cell below the ground, lies on the parabola
// through the three last planes: there is nothing above to interpolate with.
struct Stencil {
  Index3 base{};
  std::array<std::array<double, 3>, 3> weight{};  // [axis][cells after base]
};
[[nodiscard]] Stencil stencil(const Grid& grid, const Vec3& position, std::array<bool, 3> half);

// Calls body(cell, weight) for the cells that count.
template <typename Body>
void for_each_point(const Stencil& s, const Body& body) {
  for (int c = 0; c < 3; ++c) {
    for (int b = 0; b < 3; ++b) {
      for (int a = 0; a < 3; ++a) {
        const double weight = s.weight[0][static_cast<std::size_t>(a)] * s.weight[1][static_cast<std::size_t>(b)] *
                              s.weight[2][static_cast<std::size_t>(c)];
        if (weight != 0) {
          body(Index3{s.base[0] + a, s.base[1] + b, s.base[2] + c}, weight);
        }
      }
    }
  }
}

// True when a part of the source may fall on cells of `own`.
[[nodiscard]] bool touches(const Grid& grid, const Box& own, const Vec3& position);

// What the sources add to the cells of one subdomain. The order of the additions to a cell is that of the sources,
// whatever the decomposition.
template <typename Real>
class SourceTerm {
 public:
  SourceTerm(const Grid& grid, const Box& own, const Layout& layout, std::vector<Source> sources);

  // What add() adds from now on is that of time t, s.
  void set_time(double time);
  // ds_ij = -dt M'_ij(t) / h^3 (stress glut: Backus & Mulcahy 1976; Coutant et al. 1995), to the cells of these rows,
  // whole ones.
  void add(State<Real>& state, const Rows& rows) const;

 private:
  struct Share {
    std::size_t row;    // of all rows of the subdomain
    std::size_t field;  // of State::all()
    std::ptrdiff_t cell;
    std::size_t source;  // of active_
    double factor;       // Pa per (N m / s)
  };
  struct Active {
    std::vector<float> rate;
    double interval;
    int first;
    double now;  // moment rate, N m / s
  };
  void place(const Grid& grid, const Box& own, const Layout& layout, Source source);
  std::size_t rows_of_plane_;
  std::vector<Active> active_;
  std::vector<Share> shares_;        // row by row
  std::vector<std::size_t> begins_;  // of each row in shares_, and the end of the last one; empty without sources
};

extern template class SourceTerm<float>;
extern template class SourceTerm<double>;

}  // namespace ondes3d
