// Speed of the kernels on one core beside a plain copy: kernel_bench [cells along x] [y] [z].
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "physics/cpml.hpp"
#include "physics/denormals.hpp"
#include "physics/kernels.hpp"

namespace ondes3d {
namespace {

// Processor seconds: where others share the machine, the time that they take is none of ours.
double now() {
  std::timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// As STREAM's copy: bytes read and written per second.
class Copy {
 public:
  [[nodiscard]] double speed() {
    const double begin = now();
    std::copy(from_.begin(), from_.end(), to_.begin());
    asm volatile("" : : "r"(to_.data()) : "memory");
    return 2 * kValues * sizeof(double) / (now() - begin);
  }

 private:
  static constexpr std::size_t kValues = std::size_t{1} << 24U;
  FieldMemory<double> from_ = FieldMemory<double>(kValues, 1.0);
  FieldMemory<double> to_ = FieldMemory<double>(kValues, 0.0);
};

enum Part : std::size_t { kSlabX, kSlabY, kSlabZ, kStress, kVelocity, kParts };
constexpr const char* kNames[] = {"Intermediates x", "Intermediates y", "Intermediates z", "Stress", "Velocity"};

// What is measured in each round, one after the other, so that a noisy neighbour hits all alike.
struct Rounds {
  std::array<std::vector<double>, kParts> seconds;
  std::vector<double> copy;
};

template <typename Real>
class Kernels {
 public:
  Kernels(const Index3& cells, const Layers& layers)
      : grid_{cells, 10, 400, 0.028, 1, {0, 0, -400.0 * (cells[2] - 1)}},
        state_(grid_.box()),
        rock_(grid_, grid_.box(), layers),
        attenuation_(grid_, grid_.box(), layers, 0.6),
        slabs_(make_slabs<Real>(grid_, grid_.box(), 6000, {})),
        w_(fourth_order<Real>(grid_.spacing)) {}

  void measure() {
    constexpr int kRounds = 15;
    Rounds rounds;
    for (int n = 0; n <= kRounds; ++n) {
      const double copy = copy_.speed();
      step();
      if (n > 0) {  // the first warms up
        rounds.copy.push_back(copy);
        for (std::size_t part = 0; part < kParts; ++part) {
          rounds.seconds[part].push_back(seconds_[part]);
        }
      }
      seconds_.fill(0);
    }
    report(rounds);
  }

 private:
  template <typename Work>
  void book(std::size_t part, const Work& work) {
    const double begin = now();
    work();
    seconds_[part] += (now() - begin);
  }

  void step() {
    for_each_block(state_.layout, sizeof(Real), [&](const Rows& rows) {
      book(kStress, [&] { update_stress(state_, rock_, attenuation_, w_, rows); });
      for (Slab<Real>& slab : slabs_) {
        book(static_cast<std::size_t>(slab.axis), [&] { absorb_stress(state_, slab, rock_, attenuation_, w_, rows); });
      }
    });
    for_each_block(state_.layout, sizeof(Real), [&](const Rows& rows) {
      book(kVelocity, [&] { update_velocity(state_, rock_, w_, rows); });
      for (Slab<Real>& slab : slabs_) {
        book(static_cast<std::size_t>(slab.axis), [&] { absorb_velocity(state_, slab, rock_, w_, rows); });
      }
    });
  }

  void report(const Rounds& rounds) const {
    const double cells = static_cast<double>(grid_.box().volume());
    std::printf("%zu-byte reals, %d x %d x %d cells; copy %.2f GB/s\n", sizeof(Real), grid_.cells[0], grid_.cells[1],
                grid_.cells[2], median(rounds.copy) / 1e9);
    const auto line = [&](const char* name, double values, const std::vector<double>& seconds) {
      std::vector<double> share;
      for (std::size_t n = 0; n < seconds.size(); ++n) {
        share.push_back(cells * values * sizeof(Real) / seconds[n] / rounds.copy[n]);
      }
      const double time = median(seconds);
      std::printf("%-18s %7.1f M cells/s %7.2f GB/s %4.0f %% of copy\n", name, cells / time / 1e6,
                  cells * values * sizeof(Real) / time / 1e9, 100 * median(share));
    };
    const auto& stress = rounds.seconds[kStress];
    const auto& velocity = rounds.seconds[kVelocity];
    std::vector<double> both;
    std::transform(stress.begin(), stress.end(), velocity.begin(), std::back_inserter(both), std::plus<>());
    const double memory = attenuation_.on() ? 12 : 0;
    line(kNames[kStress], 15 + memory, stress);
    line(kNames[kVelocity], 12, velocity);
    line("Stress + Velocity", 27 + memory, both);
    std::array<double, 3> slab_cells{};
    for (const Slab<Real>& slab : slabs_) {
      slab_cells[static_cast<std::size_t>(slab.axis)] += static_cast<double>(slab.cells.volume());
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double each = median(rounds.seconds[axis]) / slab_cells[axis];
      std::printf("%-18s %7.1f M cells/s, a cell costs %.2f of Stress + Velocity\n", kNames[axis], 1e-6 / each,
                  each * cells / median(both));
    }
  }

  Grid grid_;
  State<Real> state_;
  Rock<Real> rock_;
  Attenuation<Real> attenuation_;
  std::vector<Slab<Real>> slabs_;
  Weights<Real> w_;
  Copy copy_;
  std::array<double, kParts> seconds_{};
};

}  // namespace
}  // namespace ondes3d

int main(int argc, char** argv) {
  const auto argument = [&](int n, int otherwise) { return argc > n ? std::atoi(argv[n]) : otherwise; };
  const ondes3d::Index3 cells{argument(1, 240), argument(2, 120), argument(3, 90)};
  ondes3d::flush_denormals(true);
  const ondes3d::Layers elastic{{0, 2700, 6000, 3460}};
  const ondes3d::Layers anelastic{{0, 2700, 6000, 3460, 200, 100}};
  ondes3d::Kernels<float>(cells, elastic).measure();
  ondes3d::Kernels<double>(cells, elastic).measure();
  std::puts("with attenuation");
  ondes3d::Kernels<float>(cells, anelastic).measure();
  ondes3d::Kernels<double>(cells, anelastic).measure();
  return 0;
}
