// Plane P and S waves in a general direction: the scheme's own dispersion relation, and its order of accuracy.
#include <gtest/gtest.h>

#include <complex>
#include <string>

#include "periodic.hpp"
#include "tests/sanitized.hpp"

namespace ondes3d {
namespace {

constexpr double kPi = std::numbers::pi;
const double kLambda = kRock[0].rho * (kRock[0].vp * kRock[0].vp - 2 * kRock[0].vs * kRock[0].vs);
const double kMu = kRock[0].rho * kRock[0].vs * kRock[0].vs;

enum class WaveKind { kP, kVertical, kHorizontal };

Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// A harmonic wave: phase along `phase`, derivatives of amplitude `slope`, time derivative of amplitude `rate`. In the
// continuum slope = phase and rate is the frequency; on the grid they are what the differences make of them.
struct Wave {
  Vec3 phase, slope, motion;
  double frequency, rate;

  [[nodiscard]] double value(std::size_t field, const Vec3& at, double t) const {
    const double turn = std::cos(phase[0] * at[0] + phase[1] * at[1] + phase[2] * at[2] - frequency * t);
    if (field < 3) {
      return motion[field] * turn;
    }
    if (field < 6) {
      const double dilatation = slope[0] * motion[0] + slope[1] * motion[1] + slope[2] * motion[2];
      return -(kLambda * dilatation + 2 * kMu * slope[field - 3] * motion[field - 3]) / rate * turn;
    }
    const std::size_t a = (field - 5) % 3;
    const std::size_t b = (field - 4) % 3;
    return -kMu * (slope[a] * motion[b] + slope[b] * motion[a]) / rate * turn;
  }
};

Vec3 motion_of(WaveKind kind, const Vec3& k) {
  const Vec3 flat = cross(k, {0, 0, 1});
  Vec3 motion = kind == WaveKind::kP ? k : kind == WaveKind::kHorizontal ? flat : cross(k, flat);
  const double size = std::hypot(motion[0], motion[1], motion[2]);
  for (double& m : motion) {
    m /= size;
  }
  return motion;
}

double speed_of(WaveKind kind) { return kind == WaveKind::kP ? kRock[0].vp : kRock[0].vs; }

// Wavelengths of 1 and 1.5 periods of the columns sideways, and one that fits nothing upwards.
Vec3 direction(double width) { return {2 * kPi / width, -2 * kPi / (1.5 * width), 2 * kPi / (1.3 * width)}; }

Wave exact_wave(WaveKind kind, double width) {
  const Vec3 k = direction(width);
  const double frequency = speed_of(kind) * std::hypot(k[0], k[1], k[2]);
  return {k, k, motion_of(kind, k), frequency, frequency};
}

// Levander 1988, in three dimensions: sin(w dt / 2) = c dt / 2 |K|, K_d = 2 / h (9/8 sin(k_d h / 2) - 1/24 sin(3 k_d h
// / 2)).
Wave wave_on_grid(WaveKind kind, double width, double h, double dt) {
  Wave wave = exact_wave(kind, width);
  for (std::size_t d = 0; d < 3; ++d) {
    const double half = wave.phase[d] * h / 2;
    wave.slope[d] = 2 / h * (9.0 / 8 * std::sin(half) - 1.0 / 24 * std::sin(3 * half));
  }
  wave.rate = speed_of(kind) * std::hypot(wave.slope[0], wave.slope[1], wave.slope[2]);
  wave.frequency = 2 / dt * std::asin(wave.rate * dt / 2);
  wave.motion = motion_of(kind, wave.slope);
  return wave;
}

// Largest difference of a velocity from the wave after `steps`, on ten planes in the middle.
double error_after(const Wave& wave, const Model& columns, int steps) {
  Periodic rock(columns);
  const auto [cells, depth, height] = columns.grid.cells;
  const double dt = columns.grid.timestep;
  rock.fill([&](std::size_t f, const Vec3& at) { return wave.value(f, at, f < 3 ? 0 : -dt / 2); });
  for (int n = 0; n < steps; ++n) {
    rock.step();
  }
  double worst = 0;
  for (std::size_t f = 0; f < 3; ++f) {
    for (int k = height / 2 - 5; k < height / 2 + 5; ++k) {
      for (int j = 0; j < depth; ++j) {
        for (int i = 0; i < cells; ++i) {
          const double found = rock.state().velocity[f][rock.state().layout.at(i, j, k)];
          worst = std::max(worst, std::abs(found - wave.value(f, place_of(rock.grid(), f, {i, j, k}), steps * dt)));
        }
      }
    }
  }
  return worst;
}

constexpr double kWidth = 4000;

// Error over one period of the P wave when the timestep is `courant` of h / vp.
double error_at(WaveKind kind, int cells, double courant) {
  const double h = kWidth / cells;
  const double period = 0.5;
  const int steps = static_cast<int>(std::lround(period * kRock[0].vp / (courant * h)));
  return error_after(exact_wave(kind, kWidth), columns_of({cells, 3 * cells / 2, 8 * cells + 40}, h, period / steps),
                     steps);
}

class Dispersion : public testing::TestWithParam<WaveKind> {};

TEST_P(Dispersion, IsTheOneOfTheStaggeredFourthOrderScheme) {
  const double h = kWidth / 6;
  const double dt = 0.45 * h / kRock[0].vp;
  // Nothing from the ends reaches the middle: a step carries four cells far at most.
  const double error = error_after(wave_on_grid(GetParam(), kWidth, h, dt), columns_of({6, 9, 220}, h, dt), 25);
  RecordProperty("error", std::to_string(error * 1e12) + "e-12");
  EXPECT_LT(error, 1e-11);
}

TEST_P(Dispersion, FallsWithTheFourthPowerOfTheSpacingWhereTimeIsFine) {
  if (weft::kSanitized) {
    GTEST_SKIP() << "takes long, and passes no line of the kernels that others do not";
  }
  // dt falls as h^2, so that the second order in time hides nothing.
  const double coarse = error_at(GetParam(), 8, 0.24);
  const double fine = error_at(GetParam(), 16, 0.12);
  const double order = std::log2(coarse / fine);
  RecordProperty("order", std::to_string(order));
  EXPECT_NEAR(order, 4, 0.3) << coarse << " -> " << fine;
}

TEST_P(Dispersion, FallsWithTheSquareWhenSpaceAndTimeAreRefinedTogether) {
  if (weft::kSanitized) {
    GTEST_SKIP() << "takes long, and passes no line of the kernels that others do not";
  }
  const double coarse = error_at(GetParam(), 12, 0.48);
  const double fine = error_at(GetParam(), 24, 0.48);
  const double order = std::log2(coarse / fine);
  RecordProperty("order", std::to_string(order));
  EXPECT_NEAR(order, 2, 0.3) << coarse << " -> " << fine;
}

std::string name_of(const testing::TestParamInfo<WaveKind>& info) {
  return info.param == WaveKind::kP ? "P" : info.param == WaveKind::kVertical ? "SV" : "SH";
}

INSTANTIATE_TEST_SUITE_P(Waves, Dispersion, testing::Values(WaveKind::kP, WaveKind::kVertical, WaveKind::kHorizontal),
                         name_of);

}  // namespace
}  // namespace ondes3d
