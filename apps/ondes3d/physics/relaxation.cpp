#include "physics/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ondes3d {
namespace {

// `count` values from `low` to `high` with equal ratios.
double between(double low, double high, std::size_t n, std::size_t count) {
  return low * std::pow(high / low, static_cast<double>(n) / static_cast<double>(count - 1));
}

// Least squares with unknowns >= 0, from the normal equations, one unknown at a time.
Shares solve(const std::array<Shares, kMechanisms>& normal, const Shares& right) {
  constexpr int kSweeps = 1000;
  Shares x{};
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t n = 0; n < kMechanisms; ++n) {
      double rest = right[n];
      for (std::size_t m = 0; m < kMechanisms; ++m) {
        rest -= m == n ? 0 : normal[n][m] * x[m];
      }
      x[n] = std::max(0.0, rest / normal[n][n]);
    }
  }
  return x;
}

}  // namespace

Relaxation::Relaxation(double reference) : reference_(reference) {
  // Wider than the band: the outermost mechanisms would have to make up for those that are missing beyond them.
  for (std::size_t n = 0; n < kMechanisms; ++n) {
    times_[n] = 1 / (2 * std::numbers::pi * between(lowest() / 2, 2 * highest(), n, kMechanisms));
  }
}

Shares Relaxation::shares(double quality) const {
  if (quality <= 0) {
    return {};
  }
  std::array<double, kFrequencies> wanted;
  wanted.fill(1 / quality);
  Shares found = fit(wanted);
  // The cells' mean is not quite what waves feel: aim beside it by as much as they miss.
  for (int round = 0; round < 6; ++round) {
    for (std::size_t f = 0; f < kFrequencies; ++f) {
      const auto m = modulus(found, between(lowest(), highest(), f, kFrequencies));
      wanted[f] += 1 / quality - m.imag() / m.real();
    }
    found = fit(wanted);
  }
  return found;
}

Shares Relaxation::fit(const std::array<double, kFrequencies>& wanted) const {
  // Shares as even as the fit allows: cells that differ much from their neighbours scatter.
  constexpr double kEvenness = 0.0025;
  std::array<Shares, kMechanisms> normal{};
  Shares right{};
  for (std::size_t n = 0; n < kMechanisms; ++n) {
    normal[n][n] = kEvenness;
  }
  for (std::size_t f = 0; f < kFrequencies; ++f) {
    const double turn = 2 * std::numbers::pi * between(lowest(), highest(), f, kFrequencies);
    Shares row{};
    for (std::size_t n = 0; n < kMechanisms; ++n) {
      const double phase = turn * times_[n];
      row[n] = (phase + wanted[f]) / (1 + phase * phase);
    }
    for (std::size_t n = 0; n < kMechanisms; ++n) {
      right[n] += row[n] * wanted[f];
      for (std::size_t m = 0; m < kMechanisms; ++m) {
        normal[n][m] += row[n] * row[m];
      }
    }
  }
  return solve(normal, right);
}

std::complex<double> Relaxation::modulus(const Shares& shares, double frequency) const {
  std::complex<double> mean = 0;
  std::complex<double> compliance = 0;
  for (std::size_t n = 0; n < kMechanisms; ++n) {
    const std::complex<double> lag(1, 2 * std::numbers::pi * frequency * times_[n]);
    const std::complex<double> cell = 1.0 - static_cast<double>(kMechanisms) * shares[n] / lag;
    mean += cell / static_cast<double>(kMechanisms);
    compliance += 1.0 / (cell * static_cast<double>(kMechanisms));
  }
  return (mean + 1.0 / compliance) / 2.0;
}

double Relaxation::stiffening(const Shares& shares) const {
  return (1.0 / std::sqrt(modulus(shares, reference_))).real();
}

const Loss& LossTable::of(double quality) {
  const auto known = known_.find(quality);
  if (known != known_.end()) {
    return known->second;
  }
  const Shares shares = relaxation_.shares(quality);
  return known_.emplace(quality, Loss{shares, relaxation_.stiffening(shares)}).first->second;
}

Elastic UnrelaxedGeology::at(const Index3& node) const {
  const Elastic rock = relaxed_.at(node);
  const Quality quality = relaxed_.quality(node);
  const double p = table_.of(quality.p).stiffening;
  const double s = table_.of(quality.s).stiffening;
  const double mu = rock.mu * s * s;
  return {rock.rho, (rock.lambda + 2 * rock.mu) * p * p - 2 * mu, mu};
}

bool attenuates(const Layers& layers) {
  return std::any_of(layers.begin(), layers.end(), [](const Layer& layer) { return layer.qp > 0 || layer.qs > 0; });
}

double least_quality(const Layers& layers) {
  double least = 0;
  for (const Layer& layer : layers) {
    for (const double quality : {layer.qp, layer.qs}) {
      least = quality > 0 && (least == 0 || quality < least) ? quality : least;
    }
  }
  return least;
}

Layers unrelaxed(const Layers& layers, double reference) {
  if (!attenuates(layers)) {
    return layers;
  }
  const Relaxation relaxation(reference);
  Layers stiff = layers;
  for (Layer& layer : stiff) {
    layer.vp *= relaxation.stiffening(relaxation.shares(layer.qp));
    layer.vs *= relaxation.stiffening(relaxation.shares(layer.qs));
  }
  return stiff;
}

}  // namespace ondes3d
