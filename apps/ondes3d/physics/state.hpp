// The nine wave fields of one subdomain on the staggered grid.
#pragma once

#include <array>
#include <cstddef>

#include "physics/box.hpp"
#include "physics/field_memory.hpp"

namespace ondes3d {

// Ghost cells on every side: the fourth-order operators reach two cells far.
inline constexpr int kGhost = 2;

// How a field of one subdomain lies in memory; cell (0, 0, 0) is the first one that the subdomain owns. The first cell
// of each row begins a cache line: a vector of y or z neighbours is one line, not parts of two.
struct Layout {
  explicit Layout(const Box& own);

  [[nodiscard]] std::ptrdiff_t at(int i, int j, int k) const { return i + j * stride[1] + k * stride[2]; }

  Index3 cells;                          // owned, without ghosts
  std::array<std::ptrdiff_t, 3> stride;  // in values
  std::ptrdiff_t first;                  // from the begin of the memory to cell (0, 0, 0)
  std::size_t values;                    // one field, ghosts and padding included
};

// Particle velocity (m/s) and stress (Pa), staggered as in Graves 1996, Fig. 1, with z upwards:
//   sxx syy szz (i, j, k)        vx (i+1/2, j, k)        vy (i, j+1/2, k)        vz (i, j, k+1/2)
//   sxy (i+1/2, j+1/2, k)        sxz (i+1/2, j, k+1/2)   syz (i, j+1/2, k+1/2)
// Velocities live at whole time steps, stresses half a step earlier. Each pointer is to cell (0, 0, 0).
template <typename Real>
class State {
 public:
  explicit State(const Box& own);
  State(State&&) noexcept = default;
  State& operator=(State&&) noexcept = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() = default;

  Layout layout;
  std::array<Real*, 3> velocity;  // vx vy vz
  std::array<Real*, 3> normal;    // sxx syy szz
  std::array<Real*, 3> shear;     // by the axis it lacks: syz sxz sxy
  [[nodiscard]] std::array<Real*, 9> all() const {
    return {velocity[0], velocity[1], velocity[2], normal[0], normal[1], normal[2], shear[0], shear[1], shear[2]};
  }

  // Between two time steps: the velocities with their ghosts, of the stresses the cells that the subdomain owns. The
  // ghosts of the stresses are 0 afterwards, as on a rigid wall, until they are exchanged or mirrored. The fields may
  // lie elsewhere then.
  template <typename Puper>
  void pup(Puper& p);

 private:
  void allocate();
  FieldMemory<Real> memory_;
};

template <typename Real>
template <typename Puper>
void State<Real>::pup(Puper& p) {
  if (p.isUnpacking()) {
    allocate();
  }
  const auto fields = all();
  for (std::size_t n = 0; n < fields.size(); ++n) {
    const int rim = n < velocity.size() ? kGhost : 0;
    for (int k = -rim; k < layout.cells[2] + rim; ++k) {
      for (int j = -rim; j < layout.cells[1] + rim; ++j) {
        p(fields[n] + layout.at(-rim, j, k), static_cast<std::size_t>(layout.cells[0] + 2 * rim));
      }
    }
  }
  if (p.isDeleting()) {
    FieldMemory<Real>().swap(memory_);
  }
}

extern template class State<float>;
extern template class State<double>;

}  // namespace ondes3d
