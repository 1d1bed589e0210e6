#include "physics/stability.hpp"

#include <cmath>
#include <complex>
#include <numbers>

namespace ondes3d {

double longest_stable_step(double spacing, double vp) {
  return spacing / (vp * std::sqrt(3.0) * (9.0 / 8.0 + 1.0 / 24.0));
}

double points_per_wavelength(double spacing, double slowest, double frequency) {
  return frequency > 0 ? slowest / (frequency * spacing) : std::numeric_limits<double>::infinity();
}

double highest_frequency(std::span<const float> rate, double interval) {
  constexpr int kFrequencies = 400;
  constexpr double kShare = 0.1;
  const double nyquist = 0.5 / interval;
  std::vector<double> amplitude;
  double peak = 0;
  for (int n = 0; n <= kFrequencies; ++n) {
    // Quadratic spacing: most sources live far below the Nyquist frequency of their history.
    const double share = static_cast<double>(n) / kFrequencies;
    const auto turn = std::polar(1.0, -2 * std::numbers::pi * nyquist * share * share * interval);
    std::complex<double> phase = 1;
    std::complex<double> sum = 0;
    for (const float value : rate) {
      sum += static_cast<double>(value) * phase;
      phase *= turn;
    }
    amplitude.push_back(std::abs(sum));
    peak = std::max(peak, amplitude.back());
  }
  for (int n = kFrequencies; n > 0; --n) {
    if (amplitude[static_cast<std::size_t>(n)] > kShare * peak) {
      const double share = static_cast<double>(n) / kFrequencies;
      return nyquist * share * share;
    }
  }
  return 0;
}

}  // namespace ondes3d
