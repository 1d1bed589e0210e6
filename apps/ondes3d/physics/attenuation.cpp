#include "physics/attenuation.hpp"

#include <cmath>
#include <limits>

namespace ondes3d {
namespace {

// The mechanism of a cell. Of the eight ways around a corner of cells, both halves along any axis have nearly the same
// sum: odd and even numbers of bits set (Thue and Morse) along z, pairs of bits along x and y.
std::size_t mechanism(int i, int j, int k) {
  const auto x = static_cast<unsigned>(i) & 1U;
  const auto y = static_cast<unsigned>(j) & 1U;
  const auto z = static_cast<unsigned>(k) & 1U;
  const unsigned high = z ^ y;
  const unsigned low = x ^ high;
  const unsigned middle = y ^ low;
  return high << 2U | middle << 1U | low;
}

// Losses of the slice low <= z <= high, from those of the layers: relaxed moduli average as the unrelaxed ones do, by
// their inverses.
Losses slice_losses(const Layers& layers, const std::vector<Losses>& losses, double low, double high) {
  Losses sum;
  double p_compliance = 0, s_compliance = 0;
  for (std::size_t n = 0; n < layers.size(); ++n) {
    const double top = n == 0 ? std::numeric_limits<double>::infinity() : layers[n].roof;
    const double bottom = n + 1 < layers.size() ? layers[n + 1].roof : -std::numeric_limits<double>::infinity();
    const double part = (std::min(top, high) - std::max(bottom, low)) / (high - low);
    if (part <= 0) {
      continue;
    }
    const Layer& layer = layers[n];
    const double p = part / (layer.rho * layer.vp * layer.vp);
    const double s = layer.vs > 0 ? part / (layer.rho * layer.vs * layer.vs) : 0;
    for (std::size_t m = 0; m < kMechanisms; ++m) {
      sum.p[m] += p * losses[n].p[m];
      sum.s[m] += s * losses[n].s[m];
    }
    p_compliance += p;
    s_compliance += s;
  }
  for (std::size_t m = 0; m < kMechanisms; ++m) {
    sum.p[m] /= p_compliance;
    sum.s[m] /= s_compliance > 0 ? s_compliance : 1;
  }
  return sum;
}

}  // namespace

// Each cell holds one of eight mechanisms, eight times as strong (Day & Bradley 2001).
template <typename Real>
typename Attenuation<Real>::Level Attenuation<Real>::drives(const Grid& grid, const Layers& layers,
                                                            const std::vector<Losses>& losses,
                                                            const Relaxation& relaxation, int k) {
  const bool top = k == grid.cells[2] - 1;
  const double h = grid.spacing;
  const double z = grid.corner[2] + k * h;
  const double roof = top ? z : z + h / 2;
  const Elastic here = effective_medium(layers, z - h / 2, roof);
  const Elastic above = effective_medium(layers, z, z + h);
  const Losses loss = slice_losses(layers, losses, z - h / 2, roof);
  const Losses loss_above = slice_losses(layers, losses, z, z + h);
  Level level{};
  for (std::size_t m = 0; m < kMechanisms; ++m) {
    // The trapezoidal rule: what a wave of any frequency feels is a mechanism of just this time, only its frequency is
    // that of the leapfrog.
    const double ratio = grid.timestep / (2 * relaxation.times()[m]);
    const double decay = (1 - ratio) / (1 + ratio);
    const double scale = static_cast<double>(kMechanisms) * grid.timestep * (1 - decay) / 2;
    const double modulus = here.lambda + 2 * here.mu;
    const double p = scale * loss.p[m] * modulus;
    const double lambda = p - 2 * scale * loss.s[m] * here.mu;
    // On the ground d_z v_z is what szz = 0 leaves: -lambda / (lambda + 2 mu) (d_x v_x + d_y v_y).
    const double lost = top ? lambda * here.lambda / modulus : 0;
    Drive<Real>& drive = level[m];
    drive.diagonal = static_cast<Real>(p - lost);
    drive.coupling = static_cast<Real>(lambda - lost);
    drive.diagonal_z = static_cast<Real>(top ? 0 : p);
    drive.coupling_z = static_cast<Real>(top ? 0 : lambda);
    drive.shear = static_cast<Real>(scale * loss.s[m] * here.mu);
    drive.shear_z = static_cast<Real>(top ? 0 : scale * loss_above.s[m] * above.mu);
    drive.decay = static_cast<Real>(decay);
  }
  return level;
}

template <typename Real>
Attenuation<Real>::Attenuation(const Grid& grid, const Box& own, const Layers& layers, double reference)
    : layout_(own), corner_(own.lo) {
  if (!attenuates(layers)) {
    return;
  }
  const Relaxation relaxation(reference);
  const Layers stiff = unrelaxed(layers, reference);
  std::vector<Losses> losses;
  for (const Layer& layer : layers) {
    losses.push_back({relaxation.shares(layer.qp), relaxation.shares(layer.qs)});
  }
  for (int k = own.lo[2]; k < own.hi[2]; ++k) {
    levels_.push_back(drives(grid, stiff, losses, relaxation, k));
  }
  memory_.assign(6 * layout_.values, Real{0});
}

template <typename Real>
RelaxingRow<Real> Attenuation<Real>::row(int j, int k) {
  const Level& level = levels_[static_cast<std::size_t>(k)];
  const auto at = [&](int i) { return level[mechanism(corner_[0] + i, corner_[1] + j, corner_[2] + k)]; };
  Real* const first = memory_.data() + layout_.first + layout_.at(0, j, k);
  const auto field = [&](int n) { return first + static_cast<std::ptrdiff_t>(layout_.values) * n; };
  return {at(0), at(1), {field(0), field(1), field(2)}, {field(3), field(4), field(5)}};
}

template class Attenuation<float>;
template class Attenuation<double>;

}  // namespace ondes3d
