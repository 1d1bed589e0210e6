// Anelastic rock: relaxation mechanisms whose sum has nearly the same quality factor at all frequencies of a band.
#pragma once

#include <array>
#include <complex>
#include <map>

#include "physics/medium.hpp"

namespace ondes3d {

inline constexpr std::size_t kMechanisms = 8;

// What each mechanism takes from a modulus at low frequencies, as a share of the unrelaxed modulus; all 0: elastic.
using Shares = std::array<double, kMechanisms>;

// Below this quality factor neighbouring cells differ so much that waves lose less or more than wanted.
inline constexpr double kLeastQuality = 20;

// Generalized Zener body: M(f) = M_u (1 - sum_k share_k / (1 + 2 pi i f time_k)) (Emmerich & Korn 1987; Day & Minster
// 1984), its mechanisms spread over the cells (Day & Bradley 2001).
class Relaxation {
 public:
  // At `reference` (Hz) speeds are what the layers say.
  explicit Relaxation(double reference);

  // Frequencies between which quality factors are as wanted, Hz.
  [[nodiscard]] double lowest() const { return reference_ / 20; }
  [[nodiscard]] double highest() const { return reference_ * 10; }
  [[nodiscard]] const std::array<double, kMechanisms>& times() const { return times_; }

  // Shares >= 0 with Im M / Re M = 1 / quality over the band, by least squares (Emmerich & Korn 1987). No loss for a
  // quality of 0.
  [[nodiscard]] Shares shares(double quality) const;
  // M(f) / M_u where each cell holds one mechanism, eight times as strong: between the mean of the cells' moduli, when
  // they share the strain, and the harmonic mean, when they share the stress.
  [[nodiscard]] std::complex<double> modulus(const Shares& shares, double frequency) const;
  // Speed of waves of very high frequency, in units of the phase speed at the reference frequency.
  [[nodiscard]] double stiffening(const Shares& shares) const;

 private:
  static constexpr std::size_t kFrequencies = 41;  // of the band, with equal ratios
  // Shares whose mean over the cells has about these Im M / Re M.
  [[nodiscard]] Shares fit(const std::array<double, kFrequencies>& wanted) const;

  double reference_;
  std::array<double, kMechanisms> times_{};  // s, falling
};

// The usual guess where nothing but speeds are known: Qs = a vs (km/s), Qp = 2 Qs, with a = 50 in the ShakeOut and
// CyberShake simulations (Olsen et al. 2009; Graves et al. 2011); the sea loses nothing. `vs` in m/s.
[[nodiscard]] inline Quality quality_by_speed(double a, double vs) { return {2 * a * vs / 1000, a * vs / 1000}; }

// What waves of one quality factor lose, and their speed at high frequencies in units of that at the reference.
struct Loss {
  Shares shares{};
  double stiffening = 1;
};

// Losses by quality factor, each found once: a fit takes a millisecond. The references stay.
class LossTable {
 public:
  explicit LossTable(double reference) : relaxation_(reference) {}
  [[nodiscard]] const Relaxation& relaxation() const { return relaxation_; }
  [[nodiscard]] const Loss& of(double quality);

 private:
  Relaxation relaxation_;
  std::map<double, Loss> known_;
};

// Rock with the moduli that an update of the stresses feels at once.
class UnrelaxedGeology final : public Geology {
 public:
  UnrelaxedGeology(const Geology& relaxed, double reference) : relaxed_(relaxed), table_(reference) {}
  [[nodiscard]] Elastic at(const Index3& node) const override;
  [[nodiscard]] Speeds speeds() const override { return relaxed_.speeds(); }

 private:
  const Geology& relaxed_;
  mutable LossTable table_;
};

// True when one of the layers has a quality factor.
[[nodiscard]] bool attenuates(const Layers& layers);
// The least of their quality factors; 0 when none has one.
[[nodiscard]] double least_quality(const Layers& layers);

// The layers with the speeds of their unrelaxed moduli: what an update of the stresses feels at once, and what the time
// step must be stable for.
[[nodiscard]] Layers unrelaxed(const Layers& layers, double reference);

}  // namespace ondes3d
