#include <cstdio>
#include <stdexcept>

#include "input/case.hpp"
#include "physics/stability.hpp"

namespace ondes3d {

std::vector<std::string> check_scheme(const Model& model, const std::vector<Source>& sources) {
  std::array<char, 240> text{};
  const auto [fastest, slowest] = speeds(model);
  const double limit = longest_stable_step(model.grid.spacing, fastest);
  if (model.grid.timestep > limit) {
    std::snprintf(
        text.data(), text.size(),
        "unstable: dt = %g s, the Courant limit of ds = %g m and vp = %g m/s is %.4g s; take a shorter <dt> or --dt",
        model.grid.timestep, model.grid.spacing, fastest, limit);
    throw std::runtime_error(text.data());
  }
  const Source* strongest = nullptr;
  double peak = 0;
  for (const Source& source : sources) {
    for (const float rate : source.rate) {
      if (static_cast<double>(rate) > peak) {
        peak = static_cast<double>(rate);
        strongest = &source;
      }
    }
  }
  if (strongest == nullptr) {
    return {};
  }
  const double frequency = highest_frequency(strongest->rate, strongest->interval);
  const double points = points_per_wavelength(model.grid.spacing, slowest, frequency);
  if (points >= kPointsWanted) {
    return {};
  }
  std::snprintf(text.data(), text.size(),
                "dispersion: the source reaches %.3g Hz, which leaves %.2g cells of %g m per wavelength of %g m/s; %g "
                "are wanted: take a smaller <ds> or trust nothing above %.3g Hz",
                frequency, points, model.grid.spacing, slowest, kPointsWanted,
                slowest / (kPointsWanted * model.grid.spacing));
  return {text.data()};
}

}  // namespace ondes3d
