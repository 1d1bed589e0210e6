// A whole grid on one subdomain, for tests of the physics.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "physics/denormals.hpp"
#include "physics/recorder.hpp"
#include "physics/subdomain.hpp"

namespace ondes3d {

// As the program does: fronts of denormal numbers would cost most of the tests' time.
inline const bool kFlushed = (flush_denormals(true), true);

inline const Layers kRock{{0, 2700, 6000, 3460}};

// A cube-like grid whose physical part is `cells` wide, node (0, 0) in the middle of its surface.
inline Model model_of(Index3 cells, double spacing, double timestep, int cpml, Layers layers = kRock) {
  Model model;
  model.layers = std::move(layers);
  model.grid.cpml = cpml;
  model.grid.spacing = spacing;
  model.grid.timestep = timestep;
  model.grid.cells = {cells[0] + 2 * cpml, cells[1] + 2 * cpml, cells[2] + cpml};
  const int middle_x = model.grid.cells[0] / 2, middle_y = model.grid.cells[1] / 2;
  model.grid.corner = {-spacing * middle_x, -spacing * middle_y, -spacing * (model.grid.cells[2] - 1)};
  model.cpml.frequency = 1;
  return model;
}

// Moment rate of duration T and area `moment`: sin^4, three times differentiable at its ends.
inline double pulse(double t, double duration, double moment) {
  const double s = std::sin(std::numbers::pi * t / duration);
  return t > 0 && t < duration ? moment * 8 / (3 * duration) * s * s * s * s : 0;
}

inline Source pulse_source(const Vec3& position, double duration, double moment, double interval) {
  Source source{{position, 30, 60, 45}, {}, interval};
  for (int n = 0; n * interval <= duration + interval; ++n) {
    source.rate.push_back(static_cast<float>(pulse(n * interval, duration, moment)));
  }
  return source;
}

template <typename Real>
void step(Subdomain<Real>& domain, double time) {
  domain.stress(time);
  domain.velocity();
}

// Velocity at each station, one row per step.
template <typename Real>
std::vector<Trace> listen(const Model& model, std::vector<Source> sources, const std::vector<Vec3>& stations,
                          int steps) {
  Subdomain<Real> domain(model, model.grid.box(), std::move(sources));
  std::vector<Probe<Real>> probes;
  for (const Vec3& station : stations) {
    probes.emplace_back(model.grid, domain.own(), domain.state().layout, station);
  }
  std::vector<Trace> traces(stations.size());
  for (int n = 0; n < steps; ++n) {
    step(domain, n * model.grid.timestep);
    for (std::size_t s = 0; s < probes.size(); ++s) {
      traces[s].push_back(probes[s].read(domain.state()));
    }
  }
  return traces;
}

// Root of the summed squares of a - b over those of b.
inline double misfit(const Trace& a, const Trace& b) {
  double difference = 0;
  double size = 0;
  for (std::size_t n = 0; n < b.size(); ++n) {
    for (std::size_t d = 0; d < 3; ++d) {
      const double x = static_cast<double>(a[n][d]);
      const double y = static_cast<double>(b[n][d]);
      difference += (x - y) * (x - y);
      size += y * y;
    }
  }
  return std::sqrt(difference / size);
}

}  // namespace ondes3d
