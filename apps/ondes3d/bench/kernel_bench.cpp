// Speed of the kernels on one core beside a plain copy: kernel_bench [cells along x] [y] [z].
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "physics/cpml.hpp"
#include "physics/denormals.hpp"
#include "physics/kernels.hpp"

namespace ondes3d {
namespace {

// Median of nine runs.
double seconds(const std::function<void()>& work) {
  std::vector<double> runs;
  work();
  for (int n = 0; n < 9; ++n) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    runs.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(runs.begin(), runs.end());
  return runs[4];
}

// As STREAM's copy: bytes read and written per second.
double copy_speed() {
  constexpr std::size_t kValues = 1 << 25;
  std::vector<double> from(kValues, 1.0), to(kValues, 0.0);
  const double time = seconds([&] {
    std::copy(from.begin(), from.end(), to.begin());
    asm volatile("" : : "r"(to.data()) : "memory");
  });
  return 2 * kValues * sizeof(double) / time;
}

template <typename Real>
void measure(const Index3& cells, double copy) {
  const Grid grid{cells, 10, 400, 0.028, 1, {0, 0, -400.0 * (cells[2] - 1)}};
  const Layers layers{{0, 2700, 6000, 3460}};
  State<Real> state(grid.box());
  const Rock<Real> rock(grid, grid.box(), layers);
  auto slabs = make_slabs<Real>(grid, grid.box(), 6000, {});
  const auto w = fourth_order<Real>(grid.spacing);
  const double count = static_cast<double>(grid.box().volume());
  const auto report = [&](const char* name, double cells_done, double fields, double time) {
    const double bytes = cells_done * fields * sizeof(Real) / time;
    std::printf("%-28s %9.1f M cells/s %8.2f GB/s %5.0f %% of copy\n", name, cells_done / time / 1e6, bytes / 1e9,
                100 * bytes / copy);
  };
  std::printf("%zu-byte reals, %d x %d x %d cells\n", sizeof(Real), cells[0], cells[1], cells[2]);
  const double stress = seconds([&] { update_stress(state, rock, w); });
  const double velocity = seconds([&] { update_velocity(state, rock, w); });
  report("Stress", count, 15, stress);
  report("Velocity", count, 12, velocity);
  report("Stress + Velocity", count, 27, stress + velocity);
  for (Slab<Real>& slab : slabs) {
    const double time = seconds([&] {
      absorb_stress(state, slab, rock, w);
      absorb_velocity(state, slab, rock, w);
    });
    constexpr const char* kNames[] = {"Intermediates, x slab", "Intermediates, y slab", "Intermediates, z slab"};
    report(kNames[slab.axis], static_cast<double>(slab.cells.volume()), 34, time);
  }
}

}  // namespace
}  // namespace ondes3d

int main(int argc, char** argv) {
  const auto argument = [&](int n, int otherwise) { return argc > n ? std::atoi(argv[n]) : otherwise; };
  const ondes3d::Index3 cells{argument(1, 120), argument(2, 120), argument(3, 90)};
  ondes3d::flush_denormals(true);
  const double copy = ondes3d::copy_speed();
  std::printf("copy %.2f GB/s\n", copy / 1e9);
  ondes3d::measure<float>(cells, copy);
  ondes3d::measure<double>(cells, copy);
  return 0;
}
