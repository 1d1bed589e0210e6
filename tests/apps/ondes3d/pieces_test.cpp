// The small pure parts: medium, moment tensor, sources, interpolation, stability, rays, columns.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>

#include "alone.hpp"
#include "parallel/cost.hpp"
#include "parallel/decomposition.hpp"
#include "physics/ray.hpp"
#include "physics/stability.hpp"

namespace ondes3d {
namespace {

TEST(Medium, AveragesDensityAndHarmonicallyTheModuli) {
  const Layers layers{{0, 2000, 3000, 1500}, {-100, 3000, 6000, 3000}};
  const Elastic middle = effective_medium(layers, -150, -50);
  EXPECT_DOUBLE_EQ(middle.rho, 2500);
  const double upper = 2000.0 * 1500 * 1500;
  const double lower = 3000.0 * 3000 * 3000;
  EXPECT_DOUBLE_EQ(middle.mu, 2 / (1 / upper + 1 / lower));
  EXPECT_DOUBLE_EQ(effective_medium(layers, -40, -20).mu, upper);
  EXPECT_DOUBLE_EQ(effective_medium(layers, 10, 20).mu, upper) << "the first layer reaches up";
}

TEST(Medium, HasNoShearWhereItTouchesTheSea) {
  const Layers layers{{0, 1030, 1530, 0}, {-100, 2700, 6000, 3460}};
  EXPECT_EQ(effective_medium(layers, -150, -50).mu, 0);
  EXPECT_GT(effective_medium(layers, -150, -50).lambda, 0);
  EXPECT_EQ(slowest_wave(layers), 1530);
}

TEST(MomentTensor, IsADoubleCoupleOfUnitMoment) {
  for (const auto& [strike, dip, rake] : {std::tuple{187.0, 54.0, 70.0}, {0.0, 90.0, 0.0}, {60.0, -30.0, -90.0}}) {
    const MomentTensor m = double_couple(strike, dip, rake);
    EXPECT_NEAR(m.normal[0] + m.normal[1] + m.normal[2], 0, 1e-12);
    double norm = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      norm += m.normal[d] * m.normal[d] + 2 * m.shear[d] * m.shear[d];
    }
    EXPECT_NEAR(norm, 2, 1e-12);
  }
}

TEST(MomentTensor, KnowsItsCompass) {
  // Left-lateral slip on a vertical plane that strikes North: East-North shear only.
  const MomentTensor strike_slip = double_couple(0, 90, 0);
  EXPECT_NEAR(strike_slip.shear[2], 1, 1e-12);
  // A thrust with 45 degrees lifts, and shortens across its strike.
  const MomentTensor thrust = double_couple(0, 45, 90);
  EXPECT_NEAR(thrust.normal[2], 1, 1e-12);
  EXPECT_NEAR(thrust.normal[0], -1, 1e-12);
}

// Aki & Richards 2002, eqs. 4.88 and 4.89 (North, East, down): M = slip normal + normal slip.
TEST(MomentTensor, IsSlipTimesNormal) {
  constexpr double kRadian = std::numbers::pi / 180;
  for (const auto& [strike, dip, rake] : {std::tuple{187.0, 54.0, 70.0}, {30.0, 60.0, 45.0}, {280.0, 25.0, -110.0}}) {
    const double f = strike * kRadian, d = dip * kRadian, l = rake * kRadian;
    const Vec3 slip{std::cos(l) * std::sin(f) - std::cos(d) * std::sin(l) * std::cos(f),  // East
                    std::cos(l) * std::cos(f) + std::cos(d) * std::sin(l) * std::sin(f),  // North
                    std::sin(l) * std::sin(d)};                                           // up
    const Vec3 normal{std::sin(d) * std::cos(f), -std::sin(d) * std::sin(f), std::cos(d)};
    const MomentTensor m = double_couple(strike, dip, rake);
    for (std::size_t p = 0; p < 3; ++p) {
      EXPECT_NEAR(m.normal[p], 2 * slip[p] * normal[p], 1e-12) << p;
      const std::size_t q = (p + 1) % 3;
      EXPECT_NEAR(m.shear[3 - p - q], slip[p] * normal[q] + slip[q] * normal[p], 1e-12) << p;
    }
  }
}

TEST(MomentRate, IsLinearBetweenSamplesAndEndsAtZero) {
  const std::vector<float> rate{1, 3};
  EXPECT_EQ(moment_rate(rate, 0.5, -0.1), 0);
  EXPECT_EQ(moment_rate(rate, 0.5, 0), 1);
  EXPECT_EQ(moment_rate(rate, 0.5, 0.25), 2);
  EXPECT_EQ(moment_rate(rate, 0.5, 0.75), 1.5);
  EXPECT_EQ(moment_rate(rate, 0.5, 1.0), 0);
  EXPECT_EQ(moment_rate(rate, 0.5, 99), 0);
  const std::vector<float> padded{0, 0, 1, 3, 0};
  for (double t = -0.6; t < 3; t += 0.07) {
    EXPECT_EQ(moment_rate(rate, 0.5, t, 2), moment_rate(padded, 0.5, t)) << t;
  }
}

TEST(Stencil, WeighsTheNeighboursAndStaysBelowTheGround) {
  const Grid grid{{10, 10, 10}, 0, 100, 0.01, 1, {0, 0, -900}};
  const Stencil inside = stencil(grid, {230, 250, -350}, {false, true, false});
  EXPECT_EQ(inside.base, (Index3{2, 2, 5}));
  EXPECT_NEAR(inside.weight[0][1], 0.3, 1e-12);
  EXPECT_NEAR(inside.weight[1][0], 1.0, 1e-12);
  EXPECT_NEAR(inside.weight[2][1], 0.5, 1e-12);
  const Stencil surface = stencil(grid, {200, 200, 0}, {false, false, true});
  EXPECT_EQ(surface.base[2], 6) << "the parabola through vz above planes 6, 7 and 8; none above the ground";
  double value = 0;
  for (int n = 0; n < 3; ++n) {
    const double z = n - 2.5;
    value += surface.weight[2][static_cast<std::size_t>(n)] * (3 - z + 2 * z * z);
  }
  EXPECT_NEAR(value, 3, 1e-12);
}

TEST(Stability, KnowsTheCourantLimitOfTheFourthOrderScheme) {
  EXPECT_NEAR(longest_stable_step(100, 6000), 0.49487 * 100 / 6000, 1e-6);
  EXPECT_DOUBLE_EQ(points_per_wavelength(200, 3000, 3), 5);
}

TEST(Stability, FindsTheHighestFrequencyOfASource) {
  std::vector<float> rate;
  for (int n = 0; n < 400; ++n) {
    rate.push_back(static_cast<float>(pulse(n * 0.01, 2.0, 1)));
  }
  const double of_two_seconds = highest_frequency(rate, 0.01);
  EXPECT_GT(of_two_seconds, 0.6);
  EXPECT_LT(of_two_seconds, 1.5);
  EXPECT_NEAR(highest_frequency(rate, 0.005), 2 * of_two_seconds, 0.05) << "the same samples played twice as fast";
  EXPECT_EQ(highest_frequency(std::vector<float>(10, 0.0F), 0.01), 0);
}

TEST(Ray, ObeysSnell) {
  EXPECT_NEAR(direct_time(kRock, {0, 0, -3000}, {4000, 0, 0}, Wave::kP), 5000.0 / 6000, 1e-9);
  EXPECT_NEAR(direct_time(kRock, {0, 0, 0}, {3460, 0, 0}, Wave::kS), 1, 1e-9);
  const Layers two{{0, 2400, 3000, 1700}, {-1000, 2700, 6000, 3460}};
  const double bent = direct_time(two, {0, 0, -3000}, {4000, 0, 0}, Wave::kP);
  double least = 1e9;  // Fermat: the fastest crossing point
  for (int n = 0; n <= 4000; ++n) {
    least = std::min(least, std::hypot(n, 2000) / 6000 + std::hypot(4000 - n, 1000) / 3000);
  }
  EXPECT_NEAR(bent, least, 1e-6);
}

class Blocks : public testing::TestWithParam<Index3> {};

TEST_P(Blocks, CoverEveryCellOnce) {
  const Index3 cells{37, 23, 15};
  const auto [ranks, py, pz] = GetParam();
  const Index3 parts = choose_parts(ranks, cells, {0, py, pz});
  const Decomposition blocks(cells, parts);
  ASSERT_EQ(blocks.ranks(), ranks);
  std::size_t sum = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const Box own = blocks.own(rank);
    sum += own.volume();
    EXPECT_EQ(blocks.owner(own.lo), rank);
    EXPECT_EQ(blocks.owner({own.hi[0] - 1, own.hi[1] - 1, own.hi[2] - 1}), rank);
    for (std::size_t d = 0; d < 3; ++d) {
      Index3 step{};
      step[d] = 1;
      if (const auto next = blocks.neighbour(rank, step)) {
        EXPECT_EQ(blocks.own(*next).lo[d], own.hi[d]);
        EXPECT_EQ(blocks.neighbour(*next, {-step[0], -step[1], -step[2]}), rank);
      } else {
        EXPECT_EQ(own.hi[d], cells[d]);
      }
    }
  }
  EXPECT_EQ(sum, (Box{{0, 0, 0}, cells}.volume()));
}

INSTANTIATE_TEST_SUITE_P(Ranks, Blocks,
                         testing::Values(Index3{1, 0, 0}, Index3{2, 0, 0}, Index3{3, 0, 3}, Index3{4, 0, 0},
                                         Index3{6, 3, 0}, Index3{7, 0, 0}, Index3{8, 2, 2}, Index3{16, 0, 4},
                                         Index3{27, 3, 3}, Index3{60, 0, 0}));

TEST(BlocksChoice, RefusesWhatCannotBe) {
  EXPECT_THROW(Decomposition({8, 8, 8}, {5, 1, 1}), std::runtime_error);
  EXPECT_THROW(Decomposition({8, 8, 8}, {1, 1, 3}), std::runtime_error) << "the ground needs three levels";
  EXPECT_THROW((void)choose_parts(6, {30, 30, 30}, {4, 0, 0}), std::runtime_error);
  EXPECT_EQ(choose_parts(6, {30, 30, 30}, {1, 0, 1}), (Index3{1, 6, 1}));
}

TEST(Cost, IsHigherWhereAbsorbingLayersAre) {
  const Grid grid{{60, 60, 40}, 10, 100, 0.005, 10, {0, 0, -3900}};
  const Decomposition blocks(grid.cells, {3, 3, 1});
  const Cost middle = cost_of(grid, blocks.own(4));
  EXPECT_EQ(middle.cells, 20U * 20 * 40);
  EXPECT_EQ(middle.absorbing, 20U * 20 * 10) << "the layer below";
  const Cost west = cost_of(grid, blocks.own(3));
  const Cost south = cost_of(grid, blocks.own(1));
  const Cost corner = cost_of(grid, blocks.own(0));
  EXPECT_GT(middle.modelled, static_cast<double>(middle.cells));
  EXPECT_GT(south.modelled, middle.modelled);
  EXPECT_GT(west.modelled, south.modelled) << "short rows";
  EXPECT_NEAR(corner.modelled - middle.modelled, west.modelled + south.modelled - 2 * middle.modelled, 1e-9);
  // No layer, whole rows: only the two planes beside the neighbour wait.
  const Grid wide{{160, 40, 40}, 0, 100, 0.005, 10, {0, 0, -3900}};
  EXPECT_NEAR(cost_of(wide, Decomposition(wide.cells, {1, 2, 1}).own(0)).modelled, 160 * 20 * 40 + 0.35 * 160 * 2 * 40,
              1e-6);
  EXPECT_NEAR(cost_of(wide, Decomposition(wide.cells, {4, 1, 1}).own(1)).modelled, 1.35 * 40 * 40 * 40, 1e-6)
      << "short rows";
  const Decomposition stacked(grid.cells, {1, 1, 2});
  EXPECT_GT(cost_of(grid, stacked.own(0)).modelled, cost_of(grid, stacked.own(1)).modelled) << "none at the ground";
}

TEST(BlocksChoice, KeepsRowsWhole) {
  EXPECT_EQ(choose_parts(4, {241, 241, 90}, {0, 0, 0}), (Index3{1, 4, 1}));
  EXPECT_EQ(choose_parts(16, {241, 241, 90}, {0, 0, 0}), (Index3{1, 8, 2}));
  EXPECT_EQ(choose_parts(64, {241, 241, 90}, {0, 0, 0}), (Index3{1, 16, 4}));
  EXPECT_EQ(choose_parts(16, {241, 241, 90}, {4, 0, 0}), (Index3{4, 4, 1}));
  EXPECT_EQ(choose_parts(1024, {241, 241, 90}, {0, 0, 0}), (Index3{4, 32, 8})) << "until blocks would be thin";
}

}  // namespace
}  // namespace ondes3d
