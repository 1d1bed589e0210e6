// Rock that differs from cell to cell: the same waves as layers where it has none, reflections at its borders, and no
// axis preferred.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "rise.hpp"
#include "tests/sanitized.hpp"

namespace ondes3d {
namespace {

class Cells : public Geology {
 public:
  explicit Cells(std::function<Layer(const Index3&)> rock) : rock_(std::move(rock)) {}
  [[nodiscard]] Elastic at(const Index3& node) const override { return elastic(rock_(node)); }
  [[nodiscard]] Speeds speeds() const override { return {6000, 1500}; }

 private:
  std::function<Layer(const Index3&)> rock_;
};

TEST(Rock, OfOneRockIsALayer) {
  Model model = model_of({24, 24, 20}, 200, 0.012, 8);
  const Source source = pulse_source({0, 0, -2000}, 0.7, 1e15, 0.01);
  const std::vector<Vec3> stations{{1000, 400, 0}, {-800, 900, -1500}};
  const auto layers = listen<double>(model, {source}, stations, 200);
  model.geology = std::make_shared<Cells>([](const Index3&) { return kRock[0]; });
  const auto cells = listen<double>(model, {source}, stations, 200);
  EXPECT_LT(misfit(cells[0], layers[0]), 1e-6);
  EXPECT_LT(misfit(cells[1], layers[1]), 1e-6);
}

// The lowest cells of the upper medium end half a cell above the highest of the lower one: there lies the border.
double error_of_cells(const Rise& rise, double h) {
  Model model = rise.column(h);
  const auto [upper, lower] = std::pair{rise.layers[0], rise.layers[1]};
  const Grid grid = model.grid;
  model.geology = std::make_shared<Cells>(
      [=](const Index3& node) { return grid.corner[2] + node[2] * grid.spacing > lower.roof ? upper : lower; });
  return rise.error(model);
}

TEST(Rock, SharesAPulseByTheImpedancesOfItsCells) {
  if (weft::kSanitized) {
    GTEST_SKIP() << "takes long, and passes no line of the kernels that others do not";
  }
  const Layer soft{0, 2400, 4000, 2300};
  const Layer rock{-1220, 2700, 6000, 3460};  // 30.5 cells of 40 m, 91.5 of a third
  for (const WaveKind kind : {WaveKind::kP, WaveKind::kS}) {
    const Rise rise{{soft, rock}, kind};
    const double coarse = error_of_cells(rise, 40);
    const double fine = error_of_cells(rise, 40.0 / 3);
    const double order = std::log(coarse / fine) / std::log(3.0);
    RecordProperty(kind == WaveKind::kP ? "P" : "S",
                   std::to_string(coarse) + " " + std::to_string(fine) + " order " + std::to_string(order));
    EXPECT_LT(fine, 0.003);
    EXPECT_GT(order, 1.2);
  }
  const Rise sea{{{0, 1030, 1530, 0}, {-630, 2700, 6000, 3460}}, WaveKind::kP};
  const double coarse = error_of_cells(sea, 20);
  const double fine = error_of_cells(sea, 20.0 / 3);
  RecordProperty("sea", std::to_string(coarse) + " " + std::to_string(fine));
  EXPECT_LT(fine, 0.01);
}

constexpr int kMiddle = 36;

// Cells counted from the middle of a cube, with `turns` cyclic permutations of the axes: x to y to z to x.
Index3 turned(const Index3& cell, std::size_t turns) {
  Index3 to{};
  for (std::size_t d = 0; d < 3; ++d) {
    to[(d + turns) % 3] = cell[d];
  }
  return to;
}

// Edges, corners and a pocket of sea.
Layer patchwork(const Index3& c) {
  if (c[0] > 6 && c[1] > 3 && c[1] < 9) {
    return {0, 1030, 1530, 0};
  }
  if (c[0] + 2 * c[1] > 4) {
    return {0, 2400, 4000, 2300};
  }
  return c[2] > 5 ? Layer{0, 2500, 5000, 2900} : kRock[0];
}

// Motion at a few places, in the axes of the unturned cube; what the sides send back comes too late.
std::vector<double> answer(std::size_t turns) {
  Model model = model_of({2 * kMiddle, 2 * kMiddle, 2 * kMiddle}, 200, 0.014, 0);
  model.geology = std::make_shared<Cells>([=](const Index3& node) {
    return patchwork(turned({node[0] - kMiddle, node[1] - kMiddle, node[2] - kMiddle}, 3 - turns));
  });
  Subdomain<double> domain(model, model.grid.box(), {});
  auto& state = domain.state();
  const auto at = [&](const Index3& cell) {
    const Index3 to = turned(cell, turns);
    return state.layout.at(kMiddle + to[0], kMiddle + to[1], kMiddle + to[2]);
  };
  std::vector<double> values;
  for (int n = 0; n < 55; ++n) {
    domain.stress(0);
    state.normal[turns % 3][at({1, -2, 0})] += pulse(n * 0.014, 0.5, 1);
    state.shear[(2 + turns) % 3][at({0, -3, 1})] += pulse(n * 0.014, 0.4, 1);
    domain.velocity();
    for (const Index3& place : {Index3{8, 5, 2}, {-3, 7, 7}, {5, -6, -4}, {0, 2, 9}}) {
      for (std::size_t d = 0; d < 3; ++d) {
        values.push_back(state.velocity[(d + turns) % 3][at(place)]);
      }
    }
  }
  return values;
}

TEST(Rock, PrefersNoAxis) {
  const auto wanted = answer(0);
  const double size = std::abs(
      *std::max_element(wanted.begin(), wanted.end(), [](double a, double b) { return std::abs(a) < std::abs(b); }));
  EXPECT_GT(size, 0);
  for (const std::size_t turns : {1U, 2U}) {
    const auto found = answer(turns);
    double worst = 0;
    for (std::size_t n = 0; n < wanted.size(); ++n) {
      worst = std::max(worst, std::abs(found[n] - wanted[n]) / size);
    }
    RecordProperty("turned" + std::to_string(turns), std::to_string(1e12 * worst) + "e-12");
    EXPECT_LT(worst, 1e-9);
  }
}

}  // namespace
}  // namespace ondes3d
