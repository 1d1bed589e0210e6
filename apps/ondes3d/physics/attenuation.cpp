#include "physics/attenuation.hpp"

#include <cmath>
#include <limits>
#include <utility>

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

// Of a mechanism: the decay of its memory variables over a time step, and what its share of a modulus drives them with.
std::pair<double, double> decay_and_scale(const Grid& grid, const Relaxation& relaxation, std::size_t m) {
  // The trapezoidal rule: what a wave of any frequency feels is a mechanism of just this time, only its frequency is
  // that of the leapfrog.
  const double ratio = grid.timestep / (2 * relaxation.times()[m]);
  const double decay = (1 - ratio) / (1 + ratio);
  return {decay, static_cast<double>(kMechanisms) * grid.timestep * (1 - decay) / 2};
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
    const auto [decay, scale] = decay_and_scale(grid, relaxation, m);
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

// A node of a geology, with what its rock loses.
template <typename Real>
struct Attenuation<Real>::Node {
  Elastic rock;  // unrelaxed
  const Loss* p;
  const Loss* s;
};

template <typename Real>
Attenuation<Real>::Attenuation(const Grid& grid, const Box& own, const Geology& geology, double reference)
    : layout_(own), corner_(own.lo), has_ground_(own.hi[2] == grid.cells[2]) {
  if (!geology.attenuates()) {
    return;
  }
  LossTable table(reference);
  const UnrelaxedGeology stiff(geology, reference);
  const auto plane = [&](int k) {
    std::vector<Node> nodes;
    for (int j = own.lo[1]; j <= own.hi[1]; ++j) {
      for (int i = own.lo[0]; i <= own.hi[0]; ++i) {
        const Index3 at{std::min(i, grid.cells[0] - 1), std::min(j, grid.cells[1] - 1), std::min(k, grid.cells[2] - 1)};
        const Quality quality = geology.quality(at);
        nodes.push_back({stiff.at(at), &table.of(quality.p), &table.of(quality.s)});
      }
    }
    return nodes;
  };
  std::array<double, kMechanisms> scales{};
  for (std::size_t m = 0; m < kMechanisms; ++m) {
    const auto [decay, scale] = decay_and_scale(grid, table.relaxation(), m);
    decays_[m] = static_cast<Real>(decay);
    scales[m] = scale;
  }
  drives_.assign(kFields * own.volume() + kPadding, Real{0});
  auto here = plane(own.lo[2]);
  for (int k = own.lo[2]; k < own.hi[2]; ++k) {
    auto above = plane(k + 1);
    fill_plane(k - own.lo[2], k == grid.cells[2] - 1, scales, here, above);
    here = std::move(above);
  }
  memory_.assign(6 * layout_.values, Real{0});
}

template <typename Real>
void Attenuation<Real>::fill_plane(int k, bool top, const std::array<double, kMechanisms>& scales,
                                   const std::vector<Node>& here, const std::vector<Node>& above) {
  const auto [nx, ny, nz] = layout_.cells;
  const auto north = static_cast<std::size_t>(nx) + 1;
  const std::size_t field = (drives_.size() - kPadding) / kFields;
  std::size_t to = static_cast<std::size_t>(k) * static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
  for (int j = 0; j < ny; ++j) {
    for (int i = 0; i < nx; ++i, ++to) {
      const std::size_t m = mechanism(corner_[0] + i, corner_[1] + j, corner_[2] + k);
      const auto put = [&](std::size_t n, double value) {
        drives_[n * field + to] = static_cast<Real>(scales[m] * value);
      };
      // Relaxed moduli average around an edge as the unrelaxed ones do, by their inverses.
      const auto shear = [m](const Node& a, const Node& b, const Node& c, const Node& d) {
        double lost = 0;
        double compliance = 0;
        for (const Node* const node : {&a, &b, &c, &d}) {
          if (node->rock.mu == 0) {
            return 0.0;
          }
          lost += node->s->shares[m] / node->rock.mu;
          compliance += 1 / node->rock.mu;
        }
        return 4 * lost / (compliance * compliance);
      };
      const std::size_t n = static_cast<std::size_t>(j) * north + static_cast<std::size_t>(i);
      const auto [rock, p_loss, s_loss] = here[n];
      const double modulus = rock.lambda + 2 * rock.mu;
      const double p = p_loss->shares[m] * modulus;
      const double lambda = p - 2 * s_loss->shares[m] * rock.mu;
      const double lost = top && modulus > 0 ? lambda * rock.lambda / modulus : 0;
      put(0, p - lost);
      put(1, lambda - lost);
      put(2, top ? 0 : shear(here[n], here[n + north], above[n], above[n + north]));
      put(3, top ? 0 : shear(here[n], here[n + 1], above[n], above[n + 1]));
      put(4, shear(here[n], here[n + 1], here[n + north], here[n + north + 1]));
    }
  }
}

template <typename Real>
Real* Attenuation<Real>::memory(int field, int j, int k) {
  return memory_.data() + layout_.first + layout_.at(0, j, k) + static_cast<std::ptrdiff_t>(layout_.values) * field;
}

template <typename Real>
RelaxingRow<Real> Attenuation<Real>::row(int j, int k) {
  const Level& level = levels_[static_cast<std::size_t>(k)];
  const auto at = [&](int i) { return level[mechanism(corner_[0] + i, corner_[1] + j, corner_[2] + k)]; };
  const auto field = [&](int n) { return memory(n, j, k); };
  return {at(0), at(1), {field(0), field(1), field(2)}, {field(3), field(4), field(5)}};
}

template <typename Real>
RelaxingCells<Real> Attenuation<Real>::cell_row(int j, int k) {
  const auto decay = [&](int i) { return decays_[mechanism(corner_[0] + i, corner_[1] + j, corner_[2] + k)]; };
  const std::size_t field = (drives_.size() - kPadding) / kFields;
  const Real* const first =
      drives_.data() + static_cast<std::size_t>(k * layout_.cells[1] + j) * static_cast<std::size_t>(layout_.cells[0]);
  const Real ground = has_ground_ && k == layout_.cells[2] - 1 ? Real{0} : Real{1};
  return {decay(0),
          decay(1),
          first,
          first + field,
          {first + 2 * field, first + 3 * field, first + 4 * field},
          ground,
          {memory(0, j, k), memory(1, j, k), memory(2, j, k)},
          {memory(3, j, k), memory(4, j, k), memory(5, j, k)}};
}

template class Attenuation<float>;
template class Attenuation<double>;

}  // namespace ondes3d
