// A plane P wave going up, on to the free surface and back; and what the scheme must do at a sea.
#include <gtest/gtest.h>

#include "alone.hpp"

namespace ondes3d {
namespace {

constexpr double kSpacing = 100, kTimestep = 0.005, kWidth = 2400;

double shape(double x) {
  const double s = std::sin(std::numbers::pi * x / kWidth);
  return x > 0 && x < kWidth ? s * s * s * s : 0;
}

// A pulse of vz, kWidth long, that rises with time.
struct RisingWave {
  double bottom;  // z of the tail at t = 0, m
  [[nodiscard]] double at(double z, double t) const { return shape(z - bottom - kRock[0].vp * t); }
};

// Fills velocity at t = 0 and stress half a step before.
void start(Subdomain<double>& domain, const Model& model, RisingWave wave) {
  const Elastic rock = effective_medium(model.layers, -2, -1);
  auto& state = domain.state();
  const Grid& grid = model.grid;
  for (int k = 0; k < grid.cells[2] - 1; ++k) {
    const double z = grid.corner[2] + k * kSpacing;
    // s = -rho vp v for what rises; stress of step n + 1 lies at n + 1/2.
    const double v = wave.at(z + kSpacing / 2, 0);
    const double strain = -wave.at(z, -kTimestep / 2) / kRock[0].vp;
    for (int j = 0; j < grid.cells[1]; ++j) {
      for (int i = 0; i < grid.cells[0]; ++i) {
        const auto cell = state.layout.at(i, j, k);
        state.velocity[2][cell] = v;
        state.normal[0][cell] = state.normal[1][cell] = rock.lambda * strain;
        state.normal[2][cell] = (rock.lambda + 2 * rock.mu) * strain;
      }
    }
  }
}

class PlaneWave : public testing::Test {
 protected:
  // Walls stand 35 cells from the middle column: nothing from there within 35 cells of travel.
  Model model_ = model_of({70, 70, 60}, kSpacing, kTimestep, 0);
  Subdomain<double> domain_{model_, model_.grid.box(), {}};
  RisingWave wave_{-4500};

  void advance(int steps) {
    for (int n = 0; n < steps; ++n) {
      step(domain_, n * kTimestep);
    }
  }
  // vz in the middle column, half a cell above plane k.
  [[nodiscard]] double vz(int k) const { return domain_.state().velocity[2][domain_.state().layout.at(35, 35, k)]; }
  [[nodiscard]] double height(int k) const { return model_.grid.corner[2] + (k + 0.5) * kSpacing; }
};

TEST_F(PlaneWave, TravelsUnchangedAtTheSpeedOfP) {
  start(domain_, model_, wave_);
  advance(50);  // 1.5 km
  for (int k = 4; k < 58; ++k) {
    EXPECT_NEAR(vz(k), wave_.at(height(k), 50 * kTimestep), 0.01) << height(k);
  }
}

TEST_F(PlaneWave, ReturnsFromTheFreeSurfaceWithTheSameVelocity) {
  start(domain_, model_, wave_);
  advance(115);  // 3.45 km: half of the pulse has turned
  const double t = 115 * kTimestep;
  for (int k = 24; k < 59; ++k) {
    const double wanted = wave_.at(height(k), t) + wave_.at(-height(k), t);
    EXPECT_NEAR(vz(k), wanted, 0.02) << height(k);
  }
}

TEST_F(PlaneWave, DoublesAtTheFreeSurface) {
  start(domain_, model_, wave_);
  const Probe<double> probe(model_.grid, domain_.own(), domain_.state().layout, {0, 0, 0});
  double peak = 0;
  for (int n = 0; n < 115; ++n) {
    step(domain_, n * kTimestep);
    peak = std::max(peak, static_cast<double>(probe.read(domain_.state())[2]));
  }
  EXPECT_NEAR(peak, 2, 0.02);
}

TEST(Sea, CarriesNoShear) {
  const Model model = model_of({24, 24, 24}, 100, 0.005, 6, {{0, 1030, 1530, 0}, {-1000, 2700, 6000, 3460}});
  Subdomain<double> domain(model, model.grid.box(), {pulse_source({0, 0, -1700}, 0.4, 1e15, 0.005)});
  for (int n = 0; n < 120; ++n) {
    step(domain, n * 0.005);
  }
  const auto& state = domain.state();
  const int sea = model.grid.cells[2] - 4;
  double pressure = 0;
  for (int i = 8; i < 28; ++i) {
    const auto cell = state.layout.at(i, 18, sea);
    pressure = std::max(pressure, std::abs(state.normal[0][cell]));
    EXPECT_EQ(state.shear[1][cell], 0);
    EXPECT_NEAR(state.normal[0][cell], state.normal[2][cell], 1e-6 * std::abs(state.normal[0][cell]) + 1e-9);
  }
  EXPECT_GT(pressure, 0);
}

}  // namespace
}  // namespace ondes3d
