// Plane waves that rise through horizontal layers at normal incidence: amplitudes and times, of P and S in rock and of
// P in the sea.
#include <gtest/gtest.h>

#include <string>

#include "rise.hpp"

namespace ondes3d {
namespace {

struct Setup {
  const char* name;
  Rise rise;
  double spacing;
  double bound;
};

class Layering : public testing::TestWithParam<Setup> {};

TEST_P(Layering, SharesAPulseByTheImpedancesAndKeepsTheTimes) {
  const Rise& rise = GetParam().rise;
  const double coarse = rise.error(rise.column(GetParam().spacing));
  const double fine = rise.error(rise.column(GetParam().spacing / 2));
  const double order = std::log2(coarse / fine);
  RecordProperty("error", std::to_string(coarse) + " " + std::to_string(fine) + " order " + std::to_string(order));
  EXPECT_LT(fine, GetParam().bound);
  EXPECT_GT(order, 1.2) << coarse << " -> " << fine;
}

// The borders lie between the planes of the grid.
const Layer kSoft{0, 2400, 4000, 2300};
INSTANTIATE_TEST_SUITE_P(
    Waves, Layering,
    testing::Values(Setup{"P", {{kSoft, {-1213, 2700, 6000, 3460}}, WaveKind::kP}, 40, 0.005},
                    Setup{"S", {{kSoft, {-1213, 2700, 6000, 3460}}, WaveKind::kS}, 40, 0.005},
                    Setup{"Sea", {{{0, 1030, 1530, 0}, {-613, 2700, 6000, 3460}}, WaveKind::kP}, 20, 0.01}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace ondes3d
