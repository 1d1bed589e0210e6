// Lamb's problem: the ground above a half-space. A load on the surface against Pekeris' closed form, a buried double
// couple against a sum of plane waves; far away the Rayleigh wave is the largest.
#include <gtest/gtest.h>

#include <string>

#include "half_space.hpp"

namespace ondes3d {
namespace {

using Velocity = Trace::value_type;

Trace trace_of(const std::vector<Vec3>& values) {
  Trace trace;
  for (const Vec3& v : values) {
    Velocity velocity{};
    for (std::size_t d = 0; d < 3; ++d) {
      velocity[d] = static_cast<Velocity::value_type>(v[d]);
    }
    trace.push_back(velocity);
  }
  return trace;
}

// Number of the sample with the largest speed.
int peak_of(const Trace& trace) {
  const auto speed = [](const Velocity& v) { return std::hypot(v[0], v[1], v[2]); };
  const auto peak = std::max_element(trace.begin(), trace.end(),
                                     [&](const Velocity& a, const Velocity& b) { return speed(a) < speed(b); });
  return static_cast<int>(peak - trace.begin());
}

struct Error {
  double misfit;
  double delay;  // of the peak, s
};

Error buried_error(double h) {
  constexpr double kDuration = 1.4, kDepth = 1500, kSeconds = 4.6;
  const Vec3 epicentre{-3300, -900, 0};
  const Vec3 station{3600, 1200, 0};
  const double dt = h / 15000;
  const int steps = static_cast<int>(kSeconds / dt);
  const Model model =
      model_of({static_cast<int>(9000 / h), static_cast<int>(4200 / h), static_cast<int>(4500 / h)}, h, dt, 12);
  const Source source = pulse_source({epicentre[0], epicentre[1], -kDepth}, kDuration, 1e16, 0.002);
  const Trace found = listen<double>(model, {source}, {station}, steps)[0];
  const HalfSpace rock{kRock[0],
                       double_couple(source.point.strike, source.point.dip, source.point.rake),
                       kDepth,
                       {station[0] - epicentre[0], station[1] - epicentre[1], 0},
                       kSeconds};
  const Trace wanted =
      trace_of(rock.velocity([](double t) { return pulse(t, kDuration, 1e16); }, kDuration, dt, steps));
  return {misfit(found, wanted), (peak_of(found) - peak_of(wanted)) * dt};
}

TEST(Lamb, BuriedDoubleCoupleMovesTheGroundAsASumOfPlaneWavesSays) {
  const Error coarse = buried_error(300);
  const Error fine = buried_error(150);
  RecordProperty("misfit", std::to_string(coarse.misfit) + " " + std::to_string(fine.misfit));
  RecordProperty("delay", std::to_string(coarse.delay) + " " + std::to_string(fine.delay));
  EXPECT_LT(fine.misfit, 0.04);
  EXPECT_GT(coarse.misfit / fine.misfit, 2.8);
  EXPECT_NEAR(fine.delay, 0, 0.0101);  // one timestep
}

constexpr double kShear = 3400;
const Layers kPoisson{{0, 2700, kShear* std::numbers::sqrt3, kShear}};  // lambda = mu
const double kRayleigh = std::sqrt(3 + std::numbers::sqrt3) / 2;        // its slowness in units of that of S

// Displacement along a unit load on the surface, as it sinks in, at vs t / r = tau, in units of 1 / (32 pi mu r)
// (Pekeris 1955).
double pekeris(double tau) {
  constexpr double kRoot = std::numbers::sqrt3;
  const double square = tau * tau;
  const double rayleigh = std::sqrt((3 * kRoot + 5) / std::abs(kRayleigh * kRayleigh - square));
  if (square < 1.0 / 3) {
    return 0;
  }
  if (tau < 1) {
    return 6 - kRoot / std::sqrt(square - 0.25) - rayleigh + std::sqrt((3 * kRoot - 5) / (square + (kRoot - 3) / 4));
  }
  return tau < kRayleigh ? 12 - 2 * rayleigh : 12;
}

// Velocity along a load of rate `rate`, for t up to `seconds`: the step's answer and the second derivative of the load.
double pekeris_velocity(double t, double r, const std::function<double(double)>& slope_of_rate) {
  constexpr int kParts = 800;
  const double shear_time = r / kShear;
  double sum = 0;
  const auto add = [&](double tau, double width) {
    sum += pekeris(tau) * slope_of_rate(t - tau * shear_time) * width * shear_time;
  };
  const double first = 1 / std::numbers::sqrt3;
  for (int n = 0; n < kParts; ++n) {
    const double part = (n + 0.5) / kParts;
    add(first + (1 - first) * part, (1 - first) / kParts);
    // The root before Rayleigh's arrival goes with the square of what is left.
    const double left = 1 - part;
    add(kRayleigh - (kRayleigh - 1) * left * left, 2 * (kRayleigh - 1) * left / kParts);
    const double last = std::max(kRayleigh, t / shear_time);
    add(kRayleigh + (last - kRayleigh) * part, (last - kRayleigh) / kParts);
  }
  const double mu = kPoisson[0].rho * kShear * kShear;
  return sum / (32 * std::numbers::pi * mu * r);
}

// A load on one node of the surface: szz there is -force / h^2 instead of 0, and odd about that above the ground.
class LoadedSurface {
 public:
  LoadedSurface(Subdomain<double>& domain, const Grid& grid) : state_(domain.state()), h_(grid.spacing) {
    cell_ = state_.layout.at(grid.cells[0] / 2, grid.cells[1] / 2, grid.cells[2] - 1);
  }
  // After Stress, whose image is that of a free surface.
  void press(double force) {
    const double pull = -force / (h_ * h_);
    const std::ptrdiff_t up = state_.layout.stride[2];
    double* const szz = state_.normal[2];
    szz[cell_] = pull;
    szz[cell_ + up] = 2 * pull - szz[cell_ - up];
    szz[cell_ + 2 * up] = 2 * pull - szz[cell_ - 2 * up];
    // What the load squeezes vertically pushes sideways: lambda / (lambda + 2 mu) of it.
    state_.normal[0][cell_] += (pull - last_) / 3;
    state_.normal[1][cell_] += (pull - last_) / 3;
    last_ = pull;
  }

 private:
  State<double>& state_;
  double h_;
  std::ptrdiff_t cell_ = 0;
  double last_ = 0;
};

Error load_error(double h) {
  constexpr double kDuration = 1.6, kForce = 1e12, kSeconds = 4.4;
  const double dt = h / 15000;
  const int steps = static_cast<int>(kSeconds / dt);
  const Model model = model_of({static_cast<int>(15000 / h), static_cast<int>(4800 / h), static_cast<int>(3600 / h)}, h,
                               dt, 12, kPoisson);
  Subdomain<double> domain(model, model.grid.box(), {});
  LoadedSurface surface(domain, model.grid);
  const double r = 6600;
  const Probe<double> probe(model.grid, domain.own(), domain.state().layout, {r, 0, 0});
  // The load rises smoothly to kForce: its rate is the pulse.
  const auto load = [&](double t) {
    double sum = 0;
    for (int n = 0; n < 200; ++n) {
      sum += pulse((n + 0.5) * t / 200, kDuration, kForce) * t / 200;
    }
    return sum;
  };
  const auto slope = [&](double t) {
    return (pulse(t + 1e-5, kDuration, kForce) - pulse(t - 1e-5, kDuration, kForce)) / 2e-5;
  };
  Trace found, wanted;
  for (int n = 0; n < steps; ++n) {
    domain.stress(0);
    surface.press(load((n + 0.5) * dt));
    domain.velocity();
    found.push_back({0, 0, probe.read(domain.state())[2]});
    wanted.push_back(trace_of({{0, 0, -pekeris_velocity((n + 1) * dt, r, slope)}})[0]);
  }
  return {misfit(found, wanted), (peak_of(found) - peak_of(wanted)) * dt};
}

TEST(Lamb, LoadOnTheSurfaceMovesItAsPekerisSays) {
  const Error coarse = load_error(300);
  const Error fine = load_error(150);
  RecordProperty("misfit", std::to_string(coarse.misfit) + " " + std::to_string(fine.misfit));
  RecordProperty("delay", std::to_string(coarse.delay) + " " + std::to_string(fine.delay));
  EXPECT_LT(fine.misfit, 0.025);
  EXPECT_GT(coarse.misfit / fine.misfit, 2.8);
  EXPECT_NEAR(fine.delay, 0, 0.0101);
}

}  // namespace
}  // namespace ondes3d
