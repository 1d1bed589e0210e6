// Plane waves that rise through horizontal layers at normal incidence: amplitudes and times against the series of
// reflections and transmissions, of P and S in rock and of P in the sea.
#include <gtest/gtest.h>

#include <string>

#include "periodic.hpp"

namespace ondes3d {
namespace {

constexpr double kLength = 1500;  // of the pulse in the lower medium, m

double shape(double x) {
  const double s = std::sin(std::numbers::pi * x / kLength);
  return x > 0 && x < kLength ? s * s * s * s : 0;
}

enum class Kind { kP, kS };

double speed(const Layer& layer, Kind kind) { return kind == Kind::kP ? layer.vp : layer.vs; }
double impedance(const Layer& layer, Kind kind) { return layer.rho * speed(layer, kind); }

// A lower and an upper medium, and a pulse whose tail is 2 km below their border at t = 0.
struct Rise {
  Layers layers;
  Kind kind;
  [[nodiscard]] double border() const { return layers[1].roof; }
  [[nodiscard]] double lower(double path, double t) const { return shape(path + 2000 - speed(layers[1], kind) * t); }

  // Velocity at z and t: d'Alembert, with up to ten passages of the upper layer.
  [[nodiscard]] double exact(double z, double t) const {
    const double z_lower = impedance(layers[1], kind);
    const double z_upper = impedance(layers[0], kind);
    const double back = (z_lower - z_upper) / (z_lower + z_upper);  // of velocity, from below
    const double through = 2 * z_lower / (z_lower + z_upper);
    const double out = 2 * z_upper / (z_lower + z_upper);
    const double slower = speed(layers[1], kind) / speed(layers[0], kind);
    const double up = z - border();
    const double thickness = -border();
    double sum = up < 0 ? lower(up, t) + back * lower(-up, t) : 0;
    double amplitude = through;
    for (int n = 0; n < 10; ++n) {
      if (up >= 0) {  // rises, and comes back from the surface with the same sign
        sum += amplitude *
               (lower(slower * (2 * n * thickness + up), t) + lower(slower * (2 * (n + 1) * thickness - up), t));
      } else {
        sum += amplitude * out * lower(slower * 2 * (n + 1) * thickness - up, t);
      }
      amplitude *= -back;
    }
    return sum;
  }
};

// Largest error of the velocity in units of the incident pulse, over all heights, at 16 moments.
double error_of(const Rise& rise, double h) {
  const double vp = fastest_p(rise.layers);
  const double dt = 0.45 * h / vp;
  const Layer& below = rise.layers[1];
  Periodic column(columns_of({1, 1, static_cast<int>(9000 / h)}, h, dt, rise.layers));
  const std::size_t moving = rise.kind == Kind::kP ? 2 : 0;
  const double mu = below.rho * below.vs * below.vs;
  const double lambda = below.rho * below.vp * below.vp - 2 * mu;
  column.fill([&](std::size_t f, const Vec3& at) {
    const double up = at[2] - rise.border();
    const double strain = -rise.lower(up, -dt / 2) / speed(below, rise.kind);
    const double modulus = f == 5 ? lambda + 2 * mu : f < 5 ? lambda : f == 7 ? mu : 0;
    const bool stressed = f >= 3 && (f < 6) == (rise.kind == Kind::kP);
    return f == moving ? rise.lower(up, 0) : stressed ? modulus * strain : 0;
  });
  double worst = 0;
  const int apart = static_cast<int>(0.1 / dt);
  for (int n = 1; n <= 16 * apart; ++n) {
    column.step();
    if (n % apart == 0) {
      for (int k = 0; k < column.grid().cells[2] - 1; ++k) {
        const double z = place_of(column.grid(), moving, {0, 0, k})[2];
        if (z > -5000) {
          const double found = column.state().velocity[moving][column.state().layout.at(0, 0, k)];
          worst = std::max(worst, std::abs(found - rise.exact(z, n * dt)));
        }
      }
    }
  }
  return worst;
}

struct Setup {
  const char* name;
  Rise rise;
  double spacing;
  double bound;
};

class Layering : public testing::TestWithParam<Setup> {};

TEST_P(Layering, SharesAPulseByTheImpedancesAndKeepsTheTimes) {
  const double coarse = error_of(GetParam().rise, GetParam().spacing);
  const double fine = error_of(GetParam().rise, GetParam().spacing / 2);
  const double order = std::log2(coarse / fine);
  RecordProperty("error", std::to_string(coarse) + " " + std::to_string(fine) + " order " + std::to_string(order));
  EXPECT_LT(fine, GetParam().bound);
  EXPECT_GT(order, 1.2) << coarse << " -> " << fine;
}

// The borders lie between the planes of the grid.
const Layer kSoft{0, 2400, 4000, 2300};
INSTANTIATE_TEST_SUITE_P(
    Waves, Layering,
    testing::Values(Setup{"P", {{kSoft, {-1213, 2700, 6000, 3460}}, Kind::kP}, 40, 0.005},
                    Setup{"S", {{kSoft, {-1213, 2700, 6000, 3460}}, Kind::kS}, 40, 0.005},
                    Setup{"Sea", {{{0, 1030, 1530, 0}, {-613, 2700, 6000, 3460}}, Kind::kP}, 20, 0.01}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace ondes3d
