// A double couple in an unbounded medium, against Aki & Richards 2002, eq. 4.29.
#include <gtest/gtest.h>

#include <string>

#include "alone.hpp"

namespace ondes3d {
namespace {

using Velocity = Trace::value_type;
constexpr double kMoment = 1e16;

double tensor(const MomentTensor& m, std::size_t p, std::size_t q) { return p == q ? m.normal[p] : m.shear[3 - p - q]; }

// Velocity at time t, `d` from the source: near, intermediate and far field of a moment rate f that lasts `duration`.
Velocity exact(const MomentTensor& m, const Vec3& d, double duration, double t) {
  const double rho = kRock[0].rho, a = kRock[0].vp, b = kRock[0].vs;
  const double r = std::hypot(d[0], d[1], d[2]);
  const auto f = [duration](double s) { return pulse(s, duration, kMoment); };
  const auto slope = [&](double s) { return (f(s + 1e-5) - f(s - 1e-5)) / 2e-5; };
  double near = 0;  // of tau f(t - tau) between the P and the S time
  constexpr int kParts = 400;
  for (int n = 0; n < kParts; ++n) {
    const double tau = r / a + (n + 0.5) * (r / b - r / a) / kParts;
    near += tau * f(t - tau) * (r / b - r / a) / kParts;
  }
  Velocity velocity{};
  for (std::size_t n = 0; n < 3; ++n) {
    double sum = 0;
    for (std::size_t p = 0; p < 3; ++p) {
      for (std::size_t q = 0; q < 3; ++q) {
        const double gn = d[n] / r, gp = d[p] / r, gq = d[q] / r;
        const double ggg = gn * gp * gq;
        const double npq = n == p ? gq : 0, nqp = n == q ? gp : 0, pqn = p == q ? gn : 0;
        const double far_p = ggg / (a * a * a * r) * slope(t - r / a);
        const double far_s = -(ggg - npq) / (b * b * b * r) * slope(t - r / b);
        const double mid_p = (6 * ggg - pqn - nqp - npq) / (a * a * r * r) * f(t - r / a);
        const double mid_s = -(6 * ggg - pqn - nqp - 2 * npq) / (b * b * r * r) * f(t - r / b);
        const double close = (15 * ggg - 3 * (pqn + nqp + npq)) / (r * r * r * r) * near;
        sum += tensor(m, p, q) * (far_p + far_s + mid_p + mid_s + close);
      }
    }
    velocity[n] = static_cast<Velocity::value_type>(sum / (4 * std::numbers::pi * rho));
  }
  return velocity;
}

// Rock so deep (m) that what the surface returns comes too late; the other faces absorb.
struct Space {
  double width, depth, seconds;
  Vec3 position;
  double duration;  // of the moment rate
  double strike = 30, dip = 60, rake = 45;
};

// One trace per station, found and wanted.
struct Pair {
  std::vector<Trace> found, wanted;
};

Pair compare(const Space& space, const std::vector<Vec3>& stations, double h, double dt) {
  const int across = static_cast<int>(space.width / h);
  const Model model = model_of({across, across, static_cast<int>(space.depth / h)}, h, dt, 8);
  const int steps = static_cast<int>(space.seconds / dt);
  Source source = pulse_source(space.position, space.duration, kMoment, 0.001);
  source.point = {space.position, space.strike, space.dip, space.rake};
  const MomentTensor m = double_couple(space.strike, space.dip, space.rake);
  Pair pair{listen<double>(model, {source}, stations, steps), {}};
  for (const Vec3& station : stations) {
    const Vec3& from = space.position;
    const Vec3 d{station[0] - from[0], station[1] - from[1], station[2] - from[2]};
    pair.wanted.emplace_back();
    for (int n = 0; n < steps; ++n) {
      pair.wanted.back().push_back(exact(m, d, space.duration, (n + 1) * dt));
    }
  }
  return pair;
}

// Timestep and source spread are of second order: a quarter per halving.
TEST(FullSpace, DoubleCoupleConvergesAtSecondOrder) {
  // On nodes of each grid: interpolation, too, then errs alike on all of them.
  const Space space{6600, 9900, 2.1, {0, 0, -7200}, 1.2};
  const auto error_at = [&](double h) {
    const Pair pair = compare(space, {{1800, 900, -6300}}, h, h / 15000);
    return misfit(pair.found[0], pair.wanted[0]);
  };
  const double coarse = error_at(450), middle = error_at(225), fine = error_at(150);
  const double first = std::log(coarse / middle) / std::log(2.0);
  const double second = std::log(middle / fine) / std::log(1.5);
  RecordProperty("errors", std::to_string(coarse) + " " + std::to_string(middle) + " " + std::to_string(fine));
  RecordProperty("orders", std::to_string(first) + " " + std::to_string(second));
  EXPECT_LT(fine, 0.01);
  EXPECT_NEAR(first, 2, 0.3);
  EXPECT_NEAR(second, 2, 0.3);
}

TEST(FullSpace, DoubleCoupleAnywhereBetweenTheNodesIsRight) {
  const Space space{6600, 9900, 2.1, {40, -65, -7230}, 1.2};
  const Pair pair = compare(space, {{1811, 1177, -5977}, {-900, 610, -7270}}, 150, 0.01);
  for (std::size_t s = 0; s < 2; ++s) {
    RecordProperty("error" + std::to_string(s), std::to_string(misfit(pair.found[s], pair.wanted[s])));
    EXPECT_LT(misfit(pair.found[s], pair.wanted[s]), 0.02);
  }
}

// Where source and stations stand on points of their own fields and dt falls as h^2, only the differences in space err.
TEST(FullSpace, ShearSourceOnItsNodeConvergesAtFourthOrder) {
  // Strike-slip along an axis has only Mxy; 225 m is half a cell from a node on both grids.
  const Space space{6300, 10800, 2.3, {225, 225, -8100}, 1.4, 0, 90, 0};
  // Each for one component.
  const std::vector<Vec3> stations{{2475, 1800, -6300}, {1800, 2475, -6300}, {1800, 1800, -6075}};
  const auto error_at = [&](double h, double dt) {
    const Pair pair = compare(space, stations, h, dt);
    Trace found, wanted;
    for (std::size_t n = 0; n < pair.found[0].size(); ++n) {
      found.push_back({pair.found[0][n][0], pair.found[1][n][1], pair.found[2][n][2]});
      wanted.push_back({pair.wanted[0][n][0], pair.wanted[1][n][1], pair.wanted[2][n][2]});
    }
    return misfit(found, wanted);
  };
  const double coarse = error_at(450, 0.027), fine = error_at(150, 0.003);
  const double order = std::log(coarse / fine) / std::log(3.0);
  RecordProperty("error", std::to_string(coarse) + " " + std::to_string(fine) + " order " + std::to_string(order));
  EXPECT_NEAR(order, 4, 0.3) << coarse << " -> " << fine;
}

}  // namespace
}  // namespace ondes3d
