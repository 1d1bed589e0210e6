#include "physics/medium.hpp"

#include <limits>

namespace ondes3d {

Elastic elastic(const Layer& layer) {
  const double mu = layer.rho * layer.vs * layer.vs;
  return {layer.rho, layer.rho * layer.vp * layer.vp - 2 * mu, mu};
}

Elastic effective_medium(const Layers& layers, double low, double high) {
  double mass = 0;
  double shear_compliance = 0;
  double bulk_compliance = 0;
  bool fluid = false;
  for (std::size_t n = 0; n < layers.size(); ++n) {
    const double top = n == 0 ? std::numeric_limits<double>::infinity() : layers[n].roof;
    const double bottom = n + 1 < layers.size() ? layers[n + 1].roof : -std::numeric_limits<double>::infinity();
    const double part = (std::min(top, high) - std::max(bottom, low)) / (high - low);
    if (part <= 0) {
      continue;
    }
    const Elastic rock = elastic(layers[n]);
    mass += part * rock.rho;
    bulk_compliance += part / (rock.lambda + 2.0 / 3.0 * rock.mu);
    fluid = fluid || rock.mu == 0;
    shear_compliance += rock.mu > 0 ? part / rock.mu : 0;
  }
  const double mu = fluid ? 0 : 1 / shear_compliance;
  return {mass, 1 / bulk_compliance - 2.0 / 3.0 * mu, mu};
}

double fastest_p(const Layers& layers) {
  double speed = 0;
  for (const Layer& layer : layers) {
    speed = std::max(speed, layer.vp);
  }
  return speed;
}

double slowest_wave(const Layers& layers) {
  double speed = std::numeric_limits<double>::infinity();
  for (const Layer& layer : layers) {
    speed = std::min(speed, layer.vs > 0 ? layer.vs : layer.vp);
  }
  return speed;
}

template <typename Real>
std::vector<Level<Real>> make_levels(const Grid& grid, const Layers& layers) {
  const double h = grid.spacing;
  const double dt = grid.timestep;
  const int top = grid.cells[2] - 1;
  std::vector<Level<Real>> levels;
  for (int k = 0; k <= top; ++k) {
    const double z = grid.corner[2] + k * h;
    const Elastic here = effective_medium(layers, z - h / 2, k == top ? z : z + h / 2);
    const Elastic above = effective_medium(layers, z, z + h);
    const double modulus = here.lambda + 2 * here.mu;
    const double lost = k == top ? here.lambda * here.lambda / modulus : 0;
    const double below_ground = k == top ? 0 : 1;
    Level<Real> level;
    level.diagonal = static_cast<Real>(dt * (modulus - lost));
    level.coupling = static_cast<Real>(dt * (here.lambda - lost));
    level.diagonal_z = static_cast<Real>(below_ground * dt * modulus);
    level.coupling_z = static_cast<Real>(below_ground * dt * here.lambda);
    level.shear = static_cast<Real>(dt * here.mu);
    level.shear_z = static_cast<Real>(below_ground * dt * above.mu);
    level.lightness = static_cast<Real>(dt / here.rho);
    level.lightness_z = static_cast<Real>(below_ground * dt / above.rho);
    level.dz = velocity_weights<Real>(grid, k);
    levels.push_back(level);
  }
  return levels;
}

template std::vector<Level<float>> make_levels(const Grid&, const Layers&);
template std::vector<Level<double>> make_levels(const Grid&, const Layers&);

}  // namespace ondes3d
