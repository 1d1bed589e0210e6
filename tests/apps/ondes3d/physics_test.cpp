// Properties that any elastic simulation must have: linearity, reciprocity, the same answer however it is computed.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "alone.hpp"

namespace ondes3d {
namespace {

const Layers kTwoLayers{{0, 2400, 4000, 2300}, {-1500, 2700, 6000, 3460}};

TEST(Physics, TwoSourcesTogetherGiveTheSumOfBoth) {
  const Model model = model_of({30, 30, 24}, 200, 0.012, 8, kTwoLayers);
  const Source one = pulse_source({-800, 300, -2500}, 0.6, 1e15, 0.01);
  const Source two = pulse_source({700, -500, -1100}, 0.9, 3e15, 0.01);
  const std::vector<Vec3> place{{500, 900, 0}};
  const auto first = listen<double>(model, {one}, place, 150)[0];
  const auto second = listen<double>(model, {two}, place, 150)[0];
  const auto both = listen<double>(model, {one, two}, place, 150)[0];
  Trace sum = first;
  for (std::size_t n = 0; n < sum.size(); ++n) {
    for (std::size_t d = 0; d < 3; ++d) {
      sum[n][d] += second[n][d];
    }
  }
  EXPECT_LT(misfit(both, sum), 1e-6);
}

// Trace of the strain at `receiver`, of an explosion-like pulse of the normal stresses at `source`.
std::vector<double> dilatation(const Model& model, const Index3& source, const Index3& receiver) {
  Subdomain<double> domain(model, model.grid.box(), {});
  auto& state = domain.state();
  const double z = model.grid.corner[2] + receiver[2] * model.grid.spacing;
  const Elastic rock = effective_medium(model.layers, z - model.grid.spacing / 2, z + model.grid.spacing / 2);
  const auto at = state.layout.at(receiver[0], receiver[1], receiver[2]);
  std::vector<double> values;
  for (int n = 0; n < 180; ++n) {
    step(domain, 0);
    for (double* const s : state.normal) {
      s[state.layout.at(source[0], source[1], source[2])] += pulse(n * model.grid.timestep, 0.6, 1);
    }
    values.push_back((state.normal[0][at] + state.normal[1][at] + state.normal[2][at]) /
                     (3 * rock.lambda + 2 * rock.mu));
  }
  return values;
}

// Largest difference between a's answer at b and b's at a, in units of the largest answer.
double asymmetry(const Model& model, const Index3& a, const Index3& b) {
  const auto there = dilatation(model, a, b);
  const auto back = dilatation(model, b, a);
  double difference = 0;
  double size = 0;
  for (std::size_t n = 0; n < there.size(); ++n) {
    difference = std::max(difference, std::abs(there[n] - back[n]));
    size = std::max(size, std::abs(there[n]));
  }
  EXPECT_GT(size, 0);
  return difference / size;
}

TEST(Physics, SourceAndReceiverMayChangePlaces) {
  // One in the lower layer, one in the upper, and absorbing layers around.
  const Model deep = model_of({26, 26, 42}, 200, 0.012, 8, {{0, 2400, 4000, 2300}, {-4500, 2700, 6000, 3460}});
  EXPECT_LT(asymmetry(deep, {15, 18, 20}, {25, 22, 29}), 1e-12);
  // Next to the free surface the differences of stress and of velocity are not each other's transpose.
  const Model shallow = model_of({26, 26, 22}, 200, 0.012, 8, kTwoLayers);
  EXPECT_LT(asymmetry(shallow, {15, 18, 13}, {25, 22, 25}), 0.02);
}

TEST(Precision, SingleAgreesWithDouble) {
  const Model model = model_of({24, 24, 20}, 200, 0.012, 8, kTwoLayers);
  const Source source = pulse_source({0, 0, -2000}, 0.7, 1e15, 0.01);
  const std::vector<Vec3> place{{1000, 400, 0}};
  EXPECT_LT(misfit(listen<float>(model, {source}, place, 200)[0], listen<double>(model, {source}, place, 200)[0]),
            1e-4);
}

// Two subdomains that copy their rims into one another's ghosts.
void copy_rim(State<float>& west, State<float>& east) {
  const auto from = west.all();
  const auto to = east.all();
  const int width = west.layout.cells[0];
  for (std::size_t f = 0; f < from.size(); ++f) {
    for (int k = 0; k < west.layout.cells[2]; ++k) {
      for (int j = 0; j < west.layout.cells[1]; ++j) {
        for (int g = 0; g < kGhost; ++g) {
          to[f][east.layout.at(g - kGhost, j, k)] = from[f][west.layout.at(width - kGhost + g, j, k)];
          from[f][west.layout.at(width + g, j, k)] = to[f][east.layout.at(g, j, k)];
        }
      }
    }
  }
}

bool is_same(const float* values, const float* others, std::size_t count) {
  return std::equal(values, values + count, others, [](float a, float b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  });
}

TEST(Decomposed, GivesTheSameBits) {
  const Model model = model_of({110, 14, 12}, 200, 0.012, 6, kTwoLayers);
  const Source source = pulse_source({100, 50, -1200}, 0.5, 1e15, 0.01);
  const Box all = model.grid.box();
  constexpr int kCut = 95;  // the western part's rows are long enough for velocities behind the stresses
  Box left = all;
  Box right = all;
  left.hi[0] = right.lo[0] = kCut;
  Subdomain<float> whole(model, all, {source});
  Subdomain<float> west(model, left, {source});
  Subdomain<float> east(model, right, {source});
  for (int n = 0; n < 80; ++n) {
    const double t = n * 0.012;
    whole.stress(t);
    whole.velocity();
    for (auto* const part : {&west, &east}) {
      part->stress_and_inner_velocity(t);
    }
    copy_rim(west.state(), east.state());
    for (auto* const part : {&west, &east}) {
      part->outer_velocity();
    }
    copy_rim(west.state(), east.state());
  }
  const auto expected = whole.state().all();
  const auto one = west.state().all();
  const auto other = east.state().all();
  std::size_t moving = 0;
  std::size_t differ = 0;
  for (std::size_t f = 0; f < expected.size(); ++f) {
    for (int k = 0; k < all.hi[2]; ++k) {
      for (int j = 0; j < all.hi[1]; ++j) {
        const float* const row = expected[f] + whole.state().layout.at(0, j, k);
        differ += is_same(row, one[f] + west.state().layout.at(0, j, k), kCut) ? 0 : 1;
        differ += is_same(row + kCut, other[f] + east.state().layout.at(0, j, k), 27) ? 0 : 1;
        moving += row[60] != 0.0F ? 1 : 0;
      }
    }
  }
  EXPECT_GT(moving, 1000U);
  EXPECT_EQ(differ, 0U) << "rows";
}

}  // namespace
}  // namespace ondes3d
