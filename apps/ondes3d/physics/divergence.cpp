#include "physics/divergence.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <type_traits>

#include "physics/stability.hpp"

namespace ondes3d {
namespace {

constexpr int kApart = 4;              // rows, and planes, from one that is looked at to the next
constexpr double kLeastDensity = 100;  // kg/m3, of any rock

// Values without their sign, as integers: in the same order, with what is not finite above all others.
template <typename Real>
using Bits = std::conditional_t<sizeof(Real) == sizeof(float), std::int32_t, std::int64_t>;

template <typename Real>
Bits<Real> size_bits(Real value) {
  return std::bit_cast<Bits<Real>>(value) & std::numeric_limits<Bits<Real>>::max();
}

template <typename Real>
Bits<Real> largest_in(const Real* row, int cells) {
  Bits<Real> most = 0;
  for (int i = 0; i < cells; ++i) {
    most = std::max(most, size_bits(row[i]));
  }
  return most;
}

// The first number from 0 on that makes a row, or plane, of the grid one of those that are looked at.
int first_of(int corner) { return (kApart - corner % kApart) % kApart; }

template <typename... Values>
std::string text_of(const char* format, Values... values) {
  std::array<char, 320> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

std::string cause_of(const Finding& finding, const Elastic& rock, const Model& model, const SourceStrength& strength) {
  const Grid& grid = model.grid;
  const double modulus = std::max(rock.lambda + 2 * rock.mu, kLeastDensity);
  const double strain = strength.strongest / (grid.spacing * grid.spacing * grid.spacing * modulus);
  if (constexpr double kTorn = 10; strain > kTorn) {
    return text_of(
        "the amplitude of the sources: the strongest one, %g N m, deforms a cell of %g m %.3g times; see the "
        "moment rates and <ds>",
        strength.strongest, grid.spacing, strain);
  }
  const double share = grid.timestep / longest_stable_step(grid.spacing, speeds(model).fastest);
  if (constexpr double kClose = 0.95; share > kClose) {
    return text_of("the time step, %.4g %% of the Courant limit: take a shorter <dt> or --dt", 100 * share);
  }
  if (inside_layer(grid, finding.node)) {
    return text_of("the absorbing layers of %d cells, where this is: take another --cpml or --kappa", grid.cpml);
  }
  return text_of("the values of the medium, there rho %g kg/m3, vp %g m/s, vs %g m/s, or their contrast", rock.rho,
                 rock.rho > 0 ? std::sqrt((rock.lambda + 2 * rock.mu) / rock.rho) : 0,
                 rock.rho > 0 ? std::sqrt(rock.mu / rock.rho) : 0);
}

}  // namespace

SourceStrength strength_of(const std::vector<Source>& sources) {
  SourceStrength strength;
  for (const Source& source : sources) {
    double sum = 0;
    for (const float rate : source.rate) {
      sum += std::abs(static_cast<double>(rate));
    }
    strength.moment += sum * source.interval;
    strength.strongest = std::max(strength.strongest, sum * source.interval);
    strength.end = std::max(strength.end, source.interval * (source.first + static_cast<double>(source.rate.size())));
  }
  return strength;
}

double speed_bound(const Model& model, const SourceStrength& strength) {
  constexpr double kMargin = 10;
  const double h = model.grid.spacing;
  return kMargin * strength.moment / (h * h * h * kLeastDensity * speeds(model).slowest);
}

template <typename Real>
Divergence<Real>::Divergence(const Box& own, double bound) : own_(own) {
  this->bound(bound);
}

template <typename Real>
void Divergence<Real>::bound(double speed) {
  bound_ = static_cast<Real>(std::min(speed, static_cast<double>(std::numeric_limits<Real>::max())));
}

template <typename Real>
void Divergence<Real>::look(int done, const State<Real>& state) {
  const Layout& layout = state.layout;
  const Real* const field = state.velocity[static_cast<std::size_t>(done % 3)];
  Bits<Real> most = 0;
  Index3 row{};
  for (int k = first_of(own_.lo[2]); k < layout.cells[2]; k += kApart) {
    for (int j = first_of(own_.lo[1]); j < layout.cells[1]; j += kApart) {
      if (const auto here = largest_in(field + layout.at(0, j, k), layout.cells[0]); here > most) {
        most = here;
        row = {0, j, k};
      }
    }
  }
  const Real speed = std::bit_cast<Real>(most);
  if (most <= size_bits(bound_)) {
    peak_ = std::max(peak_, static_cast<double>(speed));
  } else if (!finding_) {
    const Real* const cells = field + layout.at(0, row[1], row[2]);
    while (size_bits(cells[row[0]]) != most) {
      ++row[0];
    }
    finding_ = {done, {row[0] + own_.lo[0], row[1] + own_.lo[1], row[2] + own_.lo[2]}, static_cast<double>(speed)};
  }
}

template class Divergence<float>;
template class Divergence<double>;

std::string explain(const Finding& finding, const Elastic& rock, const Model& model, const SourceStrength& strength) {
  const Grid& grid = model.grid;
  const auto at = [&](std::size_t d) { return grid.corner[d] + grid.spacing * finding.node[d]; };
  const std::string what = std::isfinite(finding.speed)
                               ? text_of("the waves grow without bound: a speed of %.3g m/s", finding.speed)
                               : std::string("the waves have ceased to be finite: a speed that is no number");
  return what +
         text_of(" after step %d of %d (%g s) at (%g, %g, %g) m; likely cause: ", finding.step, grid.steps,
                 finding.step * grid.timestep, at(0), at(1), at(2)) +
         cause_of(finding, rock, model, strength);
}

}  // namespace ondes3d
