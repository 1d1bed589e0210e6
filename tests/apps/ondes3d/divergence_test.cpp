// When waves diverge: found soon, where they do, and never in a sound run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "alone.hpp"
#include "physics/divergence.hpp"
#include "physics/stability.hpp"

namespace ondes3d {
namespace {

using testing::HasSubstr;

constexpr double kSpacing = 100;

// So many Courant limits long is a time step.
Model model_with(double share) {
  return model_of({24, 24, 16}, kSpacing, share * longest_stable_step(kSpacing, 6000), 6);
}

template <typename Real>
struct Run {
  explicit Run(const Model& its) : model(its) {}

  // The steps until the waves diverge, or all.
  int until(int steps) {
    const std::vector<Source> sources{pulse_source({0, 0, -500}, 0.1, 1e15, 0.01)};
    strength = strength_of(sources);
    Subdomain<Real> domain(model, model.grid.box(), sources);
    Divergence<Real> divergence(model.grid.box(), speed_bound(model, strength));
    int n = 0;
    for (; n < steps && !divergence.finding(); ++n) {
      step(domain, n * model.grid.timestep);
      divergence.look(n + 1, domain.state());
    }
    finding = divergence.finding();
    peak = divergence.peak();
    return n;
  }
  Model model;
  SourceStrength strength;
  std::optional<Finding> finding;
  double peak = 0;
};

template <typename Real>
class DivergenceTest : public testing::Test {};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(DivergenceTest, Reals);

TYPED_TEST(DivergenceTest, IsNotSeenInASoundRunThatUsesAllOfItsTimeStep) {
  Run<TypeParam> run(model_with(0.999));
  EXPECT_EQ(run.until(400), 400);
  EXPECT_FALSE(run.finding);
  EXPECT_GT(run.peak, 0);
  EXPECT_LT(run.peak, speed_bound(run.model, run.strength) / 10);
}

TYPED_TEST(DivergenceTest, IsFoundBeforeNumbersOverflow) {
  Run<TypeParam> run(model_with(1.1));
  const int steps = run.until(400);
  ASSERT_TRUE(run.finding) << "after " << steps << " steps";
  EXPECT_LT(steps, 150);
  EXPECT_TRUE(std::isfinite(run.finding->speed));
  EXPECT_GT(run.finding->speed, speed_bound(run.model, run.strength));
  const std::string said = explain(*run.finding, elastic(kRock[0]), run.model, run.strength);
  EXPECT_THAT(said, HasSubstr("the waves grow without bound: a speed of "));
  EXPECT_THAT(said, HasSubstr("likely cause: the time step, 110 % of the Courant limit"));
}

TYPED_TEST(DivergenceTest, FindsWhatIsNotFiniteWhereItIs) {
  const Model model = model_with(0.8);
  const Box own{{0, 12, 8}, model.grid.cells};
  State<TypeParam> state(own);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    Divergence<TypeParam> divergence(own, 1);
    divergence.look(1, state);
    EXPECT_FALSE(divergence.finding());
    // Rows 16, 20, ... of the grid are looked at, and planes 8, 12, ...: here row 4 and plane 4 of the subdomain.
    state.velocity[2][state.layout.at(5, 4, 4)] = static_cast<TypeParam>(bad);
    divergence.look(2, state);
    ASSERT_TRUE(divergence.finding());
    EXPECT_EQ(divergence.finding()->step, 2);
    EXPECT_EQ(divergence.finding()->node, (Index3{5, 16, 12}));
    EXPECT_FALSE(std::isfinite(divergence.finding()->speed));
    state.velocity[2][state.layout.at(5, 4, 4)] = 0;
  }
}

TEST(Divergence, NamesTheLikelyCause) {
  const Model model = model_with(0.8);
  const Finding inside{7, {15, 15, 20}, std::numeric_limits<double>::quiet_NaN()};
  const Elastic rock = elastic(kRock[0]);
  const SourceStrength usual{1e15, 1e15, 1};
  EXPECT_THAT(explain(inside, rock, model, {1e30, 1e30, 1}), HasSubstr("likely cause: the amplitude of the sources"));
  EXPECT_THAT(explain(inside, rock, model, usual),
              HasSubstr("the waves have ceased to be finite: a speed that is no number after step 7 of 0"));
  EXPECT_THAT(explain(inside, rock, model, usual),
              HasSubstr("the values of the medium, there rho 2700 kg/m3, vp 6000 m/s, vs 3460 m/s"));
  EXPECT_THAT(explain({7, {2, 15, 20}, 1e9}, rock, model, usual), HasSubstr("the absorbing layers of 6 cells"));
}

TEST(Divergence, BoundsTheSpeedByTheSourcesMoment) {
  const Model model = model_with(0.8);
  const Source strong = pulse_source({0, 0, -500}, 0.1, 1e15, 0.01);
  Source weak = pulse_source({0, 0, -500}, 0.1, 1e14, 0.01);
  weak.first = 50;
  const SourceStrength both = strength_of({strong, weak});
  EXPECT_NEAR(both.moment, 1.1e15, 1e13);
  EXPECT_NEAR(both.strongest, 1e15, 1e13);
  EXPECT_NEAR(both.end, 0.01 * (50 + static_cast<double>(weak.rate.size())), 1e-9);
  EXPECT_EQ(strength_of({}).moment, 0);
}

}  // namespace
}  // namespace ondes3d
