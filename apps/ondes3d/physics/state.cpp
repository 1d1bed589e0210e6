#include "physics/state.hpp"

namespace ondes3d {

namespace {

// Values in a cache line of the smaller reals; double ones then fill two.
constexpr std::size_t kLine = kLineBytes / sizeof(float);

std::size_t whole_lines(std::size_t values) { return (values + kLine - 1) / kLine * kLine; }

}  // namespace

Layout::Layout(const Box& own)
    : cells{own.extent(0), own.extent(1), own.extent(2)}, stride{1, 0, 0}, first(0), values(0) {
  // The ghosts before a row are the end of the row before it.
  const int row = cells[0] + 2 * kGhost;
  stride[1] = static_cast<std::ptrdiff_t>(whole_lines(static_cast<std::size_t>(row)));
  stride[2] = stride[1] * (cells[1] + 2 * kGhost);
  first = kGhost * (stride[1] + stride[2]) + static_cast<std::ptrdiff_t>(kLine);
  values = kLine + static_cast<std::size_t>(stride[2]) * static_cast<std::size_t>(cells[2] + 2 * kGhost);
  // Fields that start at the same offset of a 4 KiB page would evict one another: an odd count of cache lines.
  values = (values / kLine | 1U) * kLine;
}

template <typename Real>
State<Real>::State(const Box& own) : layout(own) {
  allocate();
}

template <typename Real>
void State<Real>::allocate() {
  memory_.assign(9 * layout.values, Real{0});
  Real* field = memory_.data() + layout.first;
  for (auto* const kind : {&velocity, &normal, &shear}) {
    for (Real*& first_cell : *kind) {
      first_cell = field;
      field += layout.values;
    }
  }
}

template class State<float>;
template class State<double>;

}  // namespace ondes3d
