// Speed of the kernels on one core beside a plain copy and STREAM's triad: kernel_bench [cells along x] [y] [z].
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include "physics/cpml.hpp"
#include "physics/denormals.hpp"
#include "physics/kernels.hpp"
#include "physics/subdomain.hpp"

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

// Bytes read and written per second by the C library's copy, which stores around the cache, and by the triad of STREAM
// (McCalpin 1995), a = b + s c as compiled: a loop's stores fetch their lines first, which STREAM does not count.
class MemoryBandwidth {
 public:
  [[nodiscard]] double copy() {
    const double begin = now();
    std::copy(b_.begin(), b_.end(), a_.begin());
    asm volatile("" : : "r"(a_.data()) : "memory");
    return 2 * kValues * sizeof(double) / (now() - begin);
  }
  [[nodiscard]] double triad() {
    const double begin = now();
    for (std::size_t i = 0; i < kValues; ++i) {
      a_[i] = b_[i] + 3.0 * c_[i];
    }
    asm volatile("" : : "r"(a_.data()) : "memory");
    return 3 * kValues * sizeof(double) / (now() - begin);
  }

 private:
  static constexpr std::size_t kValues = std::size_t{1} << 24U;
  FieldMemory<double> a_ = FieldMemory<double>(kValues, 0.0);
  FieldMemory<double> b_ = FieldMemory<double>(kValues, 1.0);
  FieldMemory<double> c_ = FieldMemory<double>(kValues, 2.0);
};

enum Measured : std::size_t { kSlabX, kSlabY, kSlabZ, kStress, kVelocity, kInOneSweep, kParts };
constexpr const char* kNames[] = {"Intermediates x", "Intermediates y", "Intermediates z",
                                  "Stress",          "Velocity",        "in one sweep"};

// What is measured in each round, one after the other, so that a noisy neighbour hits all alike.
struct Rounds {
  std::array<std::vector<double>, kParts> seconds;
  std::vector<double> copy, triad;
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
        w_(fourth_order<Real>(grid_.spacing)),
        domain_(without_slabs(grid_, layers), grid_.box(), {}) {}

  void measure() {
    constexpr int kRounds = 15;
    Rounds rounds;
    for (int n = 0; n <= kRounds; ++n) {
      const double copy = bandwidth_.copy();
      const double triad = bandwidth_.triad();
      step();
      if (n > 0) {  // the first warms up
        rounds.copy.push_back(copy);
        rounds.triad.push_back(triad);
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

  static Model without_slabs(Grid grid, const Layers& layers) {
    grid.cpml = 0;
    return {grid, layers, {}, nullptr};
  }

  void step() {
    const int band = rows_of_band(state_.layout, sizeof(Real));
    const Rheology<Real> rheology{rock_, attenuation_};
    for_each_block(grid_.box(), band, [&](const Rows& rows) {
      book(kStress, [&] { update_stress(state_, rheology, w_, rows); });
      for (Slab<Real>& slab : slabs_) {
        book(static_cast<std::size_t>(slab.axis), [&] { absorb_stress(state_, slab, rheology, w_, rows); });
      }
    });
    for_each_block(grid_.box(), band, [&](const Rows& rows) {
      book(kVelocity, [&] { update_velocity(state_, rock_, w_, rows); });
      for (Slab<Real>& slab : slabs_) {
        book(static_cast<std::size_t>(slab.axis), [&] { absorb_velocity(state_, slab, rock_, w_, rows); });
      }
    });
    book(kInOneSweep, [&] { (void)domain_.stress_and_inner_velocity(0); });
  }

  void report(const Rounds& rounds) const {
    const double cells = static_cast<double>(grid_.box().volume());
    std::printf("%zu-byte reals, %d x %d x %d cells; copy %.2f GB/s, triad %.2f GB/s\n", sizeof(Real), grid_.cells[0],
                grid_.cells[1], grid_.cells[2], median(rounds.copy) / 1e9, median(rounds.triad) / 1e9);
    const auto line = [&](const char* name, double values, const std::vector<double>& seconds) {
      std::vector<double> of_copy;
      std::vector<double> of_triad;
      for (std::size_t n = 0; n < seconds.size(); ++n) {
        const double speed = cells * values * sizeof(Real) / seconds[n];
        of_copy.push_back(speed / rounds.copy[n]);
        of_triad.push_back(speed / rounds.triad[n]);
      }
      const double time = median(seconds);
      std::printf("%-18s %7.1f M cells/s %7.2f GB/s %4.0f %% of copy %4.0f %% of triad\n", name, cells / time / 1e6,
                  cells * values * sizeof(Real) / time / 1e9, 100 * median(of_copy), 100 * median(of_triad));
    };
    const auto& stress = rounds.seconds[kStress];
    const auto& velocity = rounds.seconds[kVelocity];
    std::vector<double> both;
    std::transform(stress.begin(), stress.end(), velocity.begin(), std::back_inserter(both), std::plus<>());
    const double memory = attenuation_.on() ? 12 : 0;
    line(kNames[kStress], 15 + memory, stress);
    line(kNames[kVelocity], 12, velocity);
    line("Stress + Velocity", 27 + memory, both);
    line(kNames[kInOneSweep], 27 + memory, rounds.seconds[kInOneSweep]);
    line("  from memory", 18 + memory, rounds.seconds[kInOneSweep]);
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
  Subdomain<Real> domain_;  // for both kernels in one sweep
  MemoryBandwidth bandwidth_;
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
