// A plane wave that rises through a border and returns from the surface at normal incidence, against the series of
// reflections and transmissions.
#pragma once

#include "periodic.hpp"

namespace ondes3d {

enum class WaveKind { kP, kS };

// A lower and an upper medium, and a pulse whose tail is 2 km below their border at t = 0.
struct Rise {
  static constexpr double kLength = 1500;  // of the pulse in the lower medium, m
  Layers layers;
  WaveKind kind;

  [[nodiscard]] double speed(int n) const {
    const Layer& layer = layers[static_cast<std::size_t>(n)];
    return kind == WaveKind::kP ? layer.vp : layer.vs;
  }
  [[nodiscard]] double impedance(int n) const { return layers[static_cast<std::size_t>(n)].rho * speed(n); }
  [[nodiscard]] double border() const { return layers[1].roof; }
  [[nodiscard]] double lower(double path, double t) const {
    const double x = path + 2000 - speed(1) * t;
    const double s = std::sin(std::numbers::pi * x / kLength);
    return x > 0 && x < kLength ? s * s * s * s : 0;
  }

  // Velocity at z and t: d'Alembert, with up to ten passages of the upper layer.
  [[nodiscard]] double exact(double z, double t) const {
    const double z_lower = impedance(1);
    const double z_upper = impedance(0);
    const double back = (z_lower - z_upper) / (z_lower + z_upper);  // of velocity, from below
    const double through = 2 * z_lower / (z_lower + z_upper);
    const double out = 2 * z_upper / (z_lower + z_upper);
    const double slower = speed(1) / speed(0);
    const double up = z - border();
    const double thickness = -border();
    double sum = up < 0 ? lower(up, t) + back * lower(-up, t) : 0;
    double amplitude = through;
    for (int n = 0; n < 10; ++n) {
      if (up >= 0) {  // rises, and comes back from the surface with the same sign
        sum += amplitude *
               (lower(slower * (2 * n * thickness + up), t) + lower(slower * (2 * (n + 1) * thickness - up), t));
      } else {
        sum += amplitude * out * lower(slower * 2 * (n + 1) * thickness - up, t);
      }
      amplitude *= -back;
    }
    return sum;
  }

  // One column of cells, 9 km high.
  [[nodiscard]] Model column(double h) const {
    return columns_of({1, 1, static_cast<int>(9000 / h)}, h, 0.45 * h / fastest_p(layers), layers);
  }

  // Largest error of the velocity in units of the incident pulse, over all heights, at 16 moments.
  [[nodiscard]] double error(const Model& model) const {
    Periodic column(model);
    const double dt = model.grid.timestep;
    const Layer& below = layers[1];
    const std::size_t moving = kind == WaveKind::kP ? 2 : 0;
    const double mu = below.rho * below.vs * below.vs;
    const double lambda = below.rho * below.vp * below.vp - 2 * mu;
    column.fill([&](std::size_t f, const Vec3& at) {
      const double up = at[2] - border();
      const double strain = -lower(up, -dt / 2) / speed(1);
      const double modulus = f == 5 ? lambda + 2 * mu : f < 5 ? lambda : f == 7 ? mu : 0;
      const bool stressed = f >= 3 && (f < 6) == (kind == WaveKind::kP);
      return f == moving ? lower(up, 0) : stressed ? modulus * strain : 0;
    });
    double worst = 0;
    const int apart = static_cast<int>(0.1 / dt);
    for (int n = 1; n <= 16 * apart; ++n) {
      column.step();
      if (n % apart == 0) {
        worst = std::max(worst, difference(column, moving, n * dt));
      }
    }
    return worst;
  }

 private:
  // Above -5 km, where the rigid bottom is not felt.
  [[nodiscard]] double difference(Periodic& column, std::size_t moving, double t) const {
    double worst = 0;
    for (int k = 0; k < column.grid().cells[2] - 1; ++k) {
      const double z = place_of(column.grid(), moving, {0, 0, k})[2];
      if (z > -5000) {
        const double found = column.state().velocity[moving][column.state().layout.at(0, 0, k)];
        worst = std::max(worst, std::abs(found - exact(z, t)));
      }
    }
    return worst;
  }
};

}  // namespace ondes3d
