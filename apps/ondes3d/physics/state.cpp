#include "physics/state.hpp"

namespace ondes3d {

Layout::Layout(const Box& own)
    : cells{own.extent(0), own.extent(1), own.extent(2)}, stride{1, cells[0] + 2 * kGhost, 0}, first(0), values(0) {
  stride[2] = stride[1] * (cells[1] + 2 * kGhost);
  first = kGhost * (stride[0] + stride[1] + stride[2]);
  values = static_cast<std::size_t>(stride[2]) * static_cast<std::size_t>(cells[2] + 2 * kGhost);
  // Fields that start at the same offset of a 4 KiB page would evict one another: an odd count of cache lines.
  constexpr std::size_t kLine = 16;
  values = ((values + kLine - 1) / kLine | 1U) * kLine;
}

template <typename Real>
State<Real>::State(const Box& own)
    : layout(own),
      memory_(9 * layout.values, Real{0}),
      velocity{field(0), field(1), field(2)},
      normal{field(3), field(4), field(5)},
      shear{field(6), field(7), field(8)} {}

template <typename Real>
Real* State<Real>::field(int number) {
  return memory_.data() + static_cast<std::ptrdiff_t>(layout.values) * number + layout.first;
}

template class State<float>;
template class State<double>;

}  // namespace ondes3d
