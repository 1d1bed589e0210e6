// The absorbing layers: what they send back, against a grid so large that nothing comes back in time.
#include <gtest/gtest.h>

#include <string>

#include "alone.hpp"
#include "tests/sanitized.hpp"

namespace ondes3d {
namespace {

constexpr double kSpacing = 200, kTimestep = 0.012;

// Energy (J) of the cells within `reach` of the axis and above -2 reach: motion and strain, taken as if all fields of a
// cell stood at its node.
double energy(const Model& model, const State<double>& state, double reach) {
  const Layer& rock = model.layers[0];
  const double mu = rock.rho * rock.vs * rock.vs;
  const double lambda = rock.rho * rock.vp * rock.vp - 2 * mu;
  const Grid& grid = model.grid;
  const auto fields = state.all();
  double sum = 0;
  for (int k = 0; k < grid.cells[2]; ++k) {
    for (int j = 0; j < grid.cells[1]; ++j) {
      for (int i = 0; i < grid.cells[0]; ++i) {
        const auto inside = [&](int n, std::size_t d) { return std::abs(grid.corner[d] + n * kSpacing) <= reach; };
        if (!inside(i, 0) || !inside(j, 1) || grid.corner[2] + k * kSpacing < -2 * reach) {
          continue;
        }
        const std::ptrdiff_t at = state.layout.at(i, j, k);
        double speed = 0, normal = 0, shear = 0, trace = 0;
        for (std::size_t d = 0; d < 3; ++d) {
          speed += fields[d][at] * fields[d][at];
          normal += fields[3 + d][at] * fields[3 + d][at];
          trace += fields[3 + d][at];
          shear += fields[6 + d][at] * fields[6 + d][at];
        }
        // Stress times strain.
        const double strain = (normal - lambda / (3 * lambda + 2 * mu) * trace * trace + 2 * shear) / (2 * mu);
        sum += (rock.rho * speed + strain) / 2 * kSpacing * kSpacing * kSpacing;
      }
    }
  }
  return sum;
}

// Energy of the inner 4.8 x 4.8 x 4.8 km, every twentieth step.
std::vector<double> energies(Index3 cells, int cpml, int steps) {
  const Model model = model_of(cells, kSpacing, kTimestep, cpml);
  // Slips forth and back: without a strain that stays, all energy can leave.
  Source source = pulse_source({0, 0, -2000}, 0.5, 1e15, 0.01);
  source.rate.resize(80);
  for (int n = 0; n < 80; ++n) {
    source.rate[static_cast<std::size_t>(n)] -= static_cast<float>(pulse(n * 0.01 - 0.25, 0.5, 1e15));
  }
  Subdomain<double> domain(model, model.grid.box(), {source});
  std::vector<double> values;
  for (int n = 0; n < steps; ++n) {
    step(domain, n * kTimestep);
    if (n % 20 == 19) {
      values.push_back(energy(model, domain.state(), 2400));
    }
  }
  return values;
}

TEST(Cpml, LetsTheEnergyOutAsALargerGridDoes) {
  if (weft::kSanitized) {
    GTEST_SKIP() << "takes long, and passes no line of the kernels that others do not";
  }
  const auto small = energies({26, 26, 26}, 10, 700);
  // Its borders answer after 2 x 6.6 km / vp = 2.2 s, and their layers absorb.
  const auto large = energies({70, 70, 48}, 10, 200);
  const double most = *std::max_element(large.begin(), large.end());
  double worst = 0;
  for (std::size_t n = 0; n < large.size(); ++n) {
    worst = std::max(worst, std::abs(small[n] - large[n]) / most);
  }
  RecordProperty("difference", std::to_string(1e6 * worst) + "e-6");
  RecordProperty("left after 8.4 s", std::to_string(1e9 * small.back() / most) + "e-9");
  EXPECT_LT(worst, 1e-5);
  // Waves have crossed the domain ten times over; nothing has grown in the layers either.
  EXPECT_LT(small.back(), 1e-7 * most);
}

TEST(Cpml, ChangesASeismogramByLessThanAFifthOfAPercent) {
  const Source source = pulse_source({0, 0, -2000}, 0.7, 1e15, 0.01);
  // The last two are a cell away from a layer: waves graze it.
  const std::vector<Vec3> stations{{1800, 1000, 0}, {2200, -2200, 0}, {2200, 0, -3800}};
  const auto small = listen<float>(model_of({24, 24, 20}, kSpacing, kTimestep, 10), {source}, stations, 220);
  const auto large = listen<float>(model_of({60, 60, 44}, kSpacing, kTimestep, 10), {source}, stations, 220);
  for (std::size_t s = 0; s < stations.size(); ++s) {
    RecordProperty("misfit" + std::to_string(s), std::to_string(misfit(small[s], large[s])));
    EXPECT_LT(misfit(small[s], large[s]), 0.002) << s;
  }
}

}  // namespace
}  // namespace ondes3d
