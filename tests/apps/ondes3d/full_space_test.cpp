// A double couple in an unbounded medium, against Aki & Richards 2002, eq. 4.29.
#include <gtest/gtest.h>

#include "alone.hpp"

namespace ondes3d {
namespace {

constexpr double kDuration = 1.2, kMoment = 1e16;
constexpr Vec3 kSource{0, 0, -9000};
const Vec3 kStation{1800, 1200, -7800};

double tensor(const MomentTensor& m, std::size_t p, std::size_t q) { return p == q ? m.normal[p] : m.shear[3 - p - q]; }

// Velocity at time t: near, intermediate and far field of the moment rate f.
std::array<float, 3> exact(const MomentTensor& m, double t) {
  const double rho = kRock[0].rho, a = kRock[0].vp, b = kRock[0].vs;
  const Vec3 d{kStation[0] - kSource[0], kStation[1] - kSource[1], kStation[2] - kSource[2]};
  const double r = std::hypot(d[0], d[1], d[2]);
  const auto f = [](double s) { return pulse(s, kDuration, kMoment); };
  const auto slope = [&](double s) { return (f(s + 1e-5) - f(s - 1e-5)) / 2e-5; };
  double near = 0;  // of tau f(t - tau) between the P and the S time
  constexpr int kParts = 400;
  for (int n = 0; n < kParts; ++n) {
    const double tau = r / a + (n + 0.5) * (r / b - r / a) / kParts;
    near += tau * f(t - tau) * (r / b - r / a) / kParts;
  }
  std::array<float, 3> velocity{};
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
    velocity[n] = static_cast<float>(sum / (4 * std::numbers::pi * rho));
  }
  return velocity;
}

double error_at(double spacing, double timestep, int cells, int depth) {
  const Model model = model_of({cells, cells, depth}, spacing, timestep, 8);
  const int steps = static_cast<int>(2.1 / timestep);
  const Source source = pulse_source(kSource, kDuration, kMoment, 0.002);
  const auto trace = listen<double>(model, {source}, {kStation}, steps)[0];
  const MomentTensor m = double_couple(source.point.strike, source.point.dip, source.point.rake);
  Trace wanted;
  for (int n = 0; n < steps; ++n) {
    wanted.push_back(exact(m, (n + 1) * timestep));
  }
  return misfit(trace, wanted);
}

TEST(FullSpace, DoubleCoupleAgreesWithTheExactSolutionAndConverges) {
  const double coarse = error_at(300, 0.02, 22, 46);
  const double fine = error_at(150, 0.01, 44, 92);
  RecordProperty("coarse", std::to_string(coarse));
  RecordProperty("fine", std::to_string(fine));
  EXPECT_LT(fine, 0.03);
  // The source is spread over neighbouring cells and time is stepped at second order: a quarter per halving.
  EXPECT_GT(coarse / fine, 3.2) << coarse << " -> " << fine;
}

}  // namespace
}  // namespace ondes3d
