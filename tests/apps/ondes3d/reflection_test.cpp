// Reflection at every angle against Zoeppritz: free surface, two rocks, sea floor.
#include <gtest/gtest.h>

#include <string>

#include "section.hpp"

namespace ondes3d {
namespace {

// Largest difference of a coefficient.
double difference(const Coefficients& a, const Coefficients& b) {
  return std::max({std::abs(a.pp - b.pp), std::abs(a.ps - b.ps), std::abs(a.sp - b.sp), std::abs(a.ss - b.ss)});
}

// Aki & Richards 2002, eqs. 5.27, 5.28, 5.31, 5.32.
Coefficients of_free_surface(const Layer& rock, Complex frequency, double horizontal) {
  const double a = rock.vp;
  const double b = rock.vs;
  const Complex p = horizontal / frequency;
  const Complex p_upwards = vertical_wavenumber(frequency, a, horizontal) / frequency;  // cos i / a
  const Complex s_upwards = vertical_wavenumber(frequency, b, horizontal) / frequency;  // cos j / b
  const Complex bend = 1 / (b * b) - 2.0 * p * p;
  const Complex mixed = 4.0 * p * p * p_upwards * s_upwards;
  const Complex rayleigh = bend * bend + mixed;
  return {(mixed - bend * bend) / rayleigh, 4.0 * a / b * p * p_upwards * bend / rayleigh,
          4.0 * b / a * p * s_upwards * bend / rayleigh, (bend * bend - mixed) / rayleigh};
}

// Both motions and both tractions go on across the border of two rocks; waves come from above.
Coefficients of_two_rocks(const Layer& upper, const Layer& lower, Complex frequency, double horizontal) {
  const std::array out{p_wave(upper, frequency, horizontal, true), sv_wave(upper, frequency, horizontal, true),
                       p_wave(lower, frequency, horizontal, false), sv_wave(lower, frequency, horizontal, false)};
  const double unit = upper.rho * upper.vp;
  ComplexMatrix<4> rows{};
  for (std::size_t c = 0; c < 4; ++c) {
    const Motion m = out[c].motion();
    const double side = c < 2 ? 1 : -1;
    rows[0][c] = side * m.vx;
    rows[1][c] = side * m.vz;
    rows[2][c] = side * m.szz / unit;
    rows[3][c] = side * m.sxz / unit;
  }
  const auto answer = [&](const PlaneWave& incident) {
    const Motion m = incident.motion();
    return solve<4>(rows, {-m.vx, -m.vz, -m.szz / unit, -m.sxz / unit});
  };
  const auto of_p = answer(p_wave(upper, frequency, horizontal, false));
  const auto of_s = answer(sv_wave(upper, frequency, horizontal, false));
  return {of_p[0], of_p[1], of_s[0], of_s[1]};
}

// Of pressure, from the sea (Brekhovskikh 1960).
Complex of_sea_floor(const Layer& sea, const Layer& rock, Complex frequency, double horizontal) {
  const auto impedance = [&](double rho, double speed) {
    return rho * frequency / vertical_wavenumber(frequency, speed, horizontal);  // rho c / cos
  };
  const Complex sine = horizontal * rock.vs / frequency;
  const Complex twice = 1.0 - 2.0 * sine * sine;  // cos of twice the angle of S
  const Complex below =
      impedance(rock.rho, rock.vp) * twice * twice + impedance(rock.rho, rock.vs) * (1.0 - twice * twice);
  const Complex above = impedance(sea.rho, sea.vp);
  return (below - above) / (below + above);
}

// P at these angles from the vertical, then SV.
std::vector<Complex> frequencies_of(const Section& s, const Layer& rock, const std::vector<double>& angles) {
  std::vector<Complex> frequencies;
  for (const double speed : {rock.vp, rock.vs}) {
    for (const double angle : angles) {
      frequencies.push_back(s.frequency(speed, angle));
    }
  }
  return frequencies;
}

double free_surface_error(int cells) {
  const Section s{kRock, cells, 6000, 24000, -2500, -750, 0.4, 7, 1.2};
  const auto frequencies = frequencies_of(s, kRock[0], {20, 30, 40, 50, 60, 70, 80});
  const auto one = record(s, Burst::kExplosion, frequencies);
  const auto other = record(s, Burst::kShear, frequencies);
  double worst = 0;
  for (std::size_t w = 0; w < frequencies.size(); ++w) {
    const Coefficients found = reflection(take_apart(s, kRock[0], frequencies[w], one[w], 0),
                                          take_apart(s, kRock[0], frequencies[w], other[w], 0), true);
    const Coefficients wanted = of_free_surface(kRock[0], frequencies[w], s.wavenumber());
    worst = std::max(worst, difference(found, wanted));
  }
  return worst;
}

TEST(Reflection, OfPAndSvAtTheFreeSurfaceIsZoeppritz) {
  const double coarse = free_surface_error(24);
  const double fine = free_surface_error(48);
  RecordProperty("error", std::to_string(coarse) + " " + std::to_string(fine));
  EXPECT_LT(fine, 0.025);
  EXPECT_GT(coarse / fine, 3.5);
}

double two_rocks_error(int cells) {
  const double border = -3020;  // between two planes of the grid
  const Layers rocks{{0, 2400, 4000, 2300}, {border, 2700, 6000, 3460}};
  const Section s{rocks, cells, 6000, 27000, -1000, -2250, 0.4, 7, 1.2};
  const auto frequencies = frequencies_of(s, rocks[0], {25, 30, 40, 50, 60, 70, 80});
  const auto one = record(s, Burst::kExplosion, frequencies);
  const auto other = record(s, Burst::kShear, frequencies);
  double worst = 0;
  for (std::size_t w = 0; w < frequencies.size(); ++w) {
    const Coefficients found = reflection(take_apart(s, rocks[0], frequencies[w], one[w], border),
                                          take_apart(s, rocks[0], frequencies[w], other[w], border), false);
    const Coefficients wanted = of_two_rocks(rocks[0], rocks[1], frequencies[w], s.wavenumber());
    worst = std::max(worst, difference(found, wanted));
  }
  return worst;
}

TEST(Reflection, OfPAndSvAtALayerIsZoeppritz) {
  const double coarse = two_rocks_error(24);
  const double fine = two_rocks_error(48);
  RecordProperty("error", std::to_string(coarse) + " " + std::to_string(fine));
  // First order: an average over a cell that two rocks share does not know which way the border lies.
  EXPECT_LT(fine, 0.02);
  EXPECT_GT(coarse / fine, 1.8);
}

double sea_floor_error(int cells) {
  const double floor = -740;
  const Layers layers{{0, 1030, 1530, 0}, {floor, 2700, 6000, 3460}};
  const Section s{layers, cells, 1500, 6000, -150, -600, 0.3, 2.5, 4};
  std::vector<Complex> frequencies;
  for (const double angle : {12, 16, 20, 30, 40, 50, 60, 70, 80}) {
    frequencies.push_back(s.frequency(layers[0].vp, angle));
  }
  const auto seen = record(s, Burst::kExplosion, frequencies);
  double worst = 0;
  for (std::size_t w = 0; w < frequencies.size(); ++w) {
    const auto waves = take_apart_in_sea(s, layers[0], frequencies[w], seen[w], floor);
    const Complex wanted = of_sea_floor(layers[0], layers[1], frequencies[w], s.wavenumber());
    // Unit waves up and down have the same pressure.
    worst = std::max(worst, std::abs(waves[0] / waves[1] - wanted));
  }
  return worst;
}

TEST(Reflection, AtTheSeaFloorIsTheOneOfAFluidOverRock) {
  const double coarse = sea_floor_error(40);
  const double fine = sea_floor_error(80);
  RecordProperty("error", std::to_string(coarse) + " " + std::to_string(fine));
  EXPECT_LT(fine, 0.015);
  EXPECT_GT(coarse / fine, 3);
}

}  // namespace
}  // namespace ondes3d
