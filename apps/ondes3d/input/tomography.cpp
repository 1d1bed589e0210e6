#include "input/tomography.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

#include "input/number.hpp"
#include "input/plausible.hpp"
#include "input/token_reader.hpp"
#include "physics/relaxation.hpp"

namespace ondes3d {
namespace {

struct AxisPosition {
  std::size_t below = 0;  // node before the place
  double share = 0;       // of the next node
};

AxisPosition place_on(const std::vector<double>& axis, double x) {
  if (axis.size() == 1) {
    return {};
  }
  const auto next = std::upper_bound(axis.begin() + 1, axis.end() - 1, x);
  const auto n = static_cast<std::size_t>(next - axis.begin()) - 1;
  return {n, std::clamp((x - axis[n]) / (axis[n + 1] - axis[n]), 0.0, 1.0)};
}

// Above 0 and in a range given in the units of the parameter files, of which the file has 1 in `unit`.
double positive(TokenReader& file, const Range& range, double unit, const std::string& what) {
  const double value = file.number(what);
  if (value <= 0) {
    file.fail(shown(value), what + ", above 0");
  }
  if (!range.holds(unit * value)) {
    file.fail(shown(value), what + ", from " + shown(range.least / unit) + " to " + shown(range.most / unit));
  }
  return value;
}

// A coordinate opens its axis the first time and must fit it afterwards.
void check_place(TokenReader& file, std::vector<double>& axis, std::size_t n, const std::string& what) {
  const double x = file.number(what);
  if (n == axis.size()) {
    if (n > 0 && x <= axis.back()) {
      file.fail(shown(x), what + ", above " + shown(axis.back()) + " of the node before");
    }
    axis.push_back(x);
  } else if (x != axis[n]) {
    file.fail(shown(x), what + ": " + shown(axis[n]) + ", as in the rows before (x fastest, then y, then depth)");
  }
}

TomographyNode read_node(TokenReader& file, const std::string& which) {
  const double vp = positive(file, kPSpeeds, 1000, "the speed of P waves in km/s" + which);
  const double vs = file.number("the speed of S waves in km/s" + which);
  if (vs < 0 || 3 * vp * vp <= 4 * vs * vs) {
    file.fail(shown(vs), "the speed of S waves in km/s" + which + ", from 0 to 0.866 vp");
  }
  const double rho = positive(file, kDensities, 1000, "the density in g/cm3" + which);
  return {static_cast<float>(1000 * vp), static_cast<float>(1000 * vs), static_cast<float>(1000 * rho)};
}

}  // namespace

Vec3 TomographyFrame::turned(const Vec3& place) const {
  const double turn = theta * std::numbers::pi / 180;
  const double east = place[0] / 1000 - x0;
  const double north = place[1] / 1000 - y0;
  return {east * std::cos(turn) - north * std::sin(turn), east * std::sin(turn) + north * std::cos(turn),
          -place[2] / 1000};
}

TomographyFile read_tomography(const std::string& path, const Index3& count) {
  TokenReader text(path, "a tomography");
  TomographyFile file;
  const auto rows = Box{{0, 0, 0}, count}.volume();
  constexpr std::array<const char*, 3> kNames{"the x", "the y", "the depth"};
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string which = " of node " + std::to_string(row + 1) + " of " + std::to_string(rows);
    std::size_t rest = row;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto along = static_cast<std::size_t>(count[d]);
      check_place(text, file.axes[d], rest % along, kNames[d] + which + " in km");
      rest /= along;
    }
    file.nodes.push_back(read_node(text, which));
  }
  if (!text.at_end()) {
    text.fail("more words after the last node", "the end of the file after " + std::to_string(rows) + " nodes");
  }
  return file;
}

Tomography::Tomography(const Grid& grid, TomographyFile file) : grid_(grid), file_(std::move(file)) {}

Tomography::Tomography(const Grid& grid, PackedBytes& packed)
    : grid_(grid),
      file_{packed.take<TomographyFrame>(),
            {packed.take_list<double>(), packed.take_list<double>(), packed.take_list<double>()},
            packed.take_list<TomographyNode>(),
            packed.take<double>()} {}

TomographyNode Tomography::value(const Vec3& at) const {
  std::array<AxisPosition, 3> on;
  for (std::size_t d = 0; d < 3; ++d) {
    on[d] = place_on(file_.axes[d], at[d]);
  }
  double vp = 0;
  double vs = 0;
  double rho = 0;
  for (std::size_t corner = 0; corner < 8; ++corner) {
    double weight = 1;
    std::array<std::size_t, 3> n{};
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t upper = corner >> d & 1U;
      weight *= upper == 1 ? on[d].share : 1 - on[d].share;
      n[d] = on[d].below + upper;
    }
    if (weight > 0) {
      const TomographyNode& here = node(n[0], n[1], n[2]);
      vp += weight * static_cast<double>(here.vp);
      vs += weight * static_cast<double>(here.vs);
      rho += weight * static_cast<double>(here.rho);
    }
  }
  return {static_cast<float>(vp), static_cast<float>(vs), static_cast<float>(rho)};
}

TomographyNode Tomography::at_node(const Index3& node) const {
  const Index3 inside = inside_domain(grid_, node);
  Vec3 place{};
  for (std::size_t d = 0; d < 3; ++d) {
    place[d] = grid_.corner[d] + grid_.spacing * inside[d];
  }
  return value(file_.frame.turned(place));
}

Elastic Tomography::at(const Index3& node) const {
  const TomographyNode rock = at_node(node);
  return elastic({0, static_cast<double>(rock.rho), static_cast<double>(rock.vp), static_cast<double>(rock.vs)});
}

Quality Tomography::quality(const Index3& node) const {
  // In steps of 1 %: nobody knows them better, and each one is a fit.
  constexpr double kStep = 1.01;
  const Quality exact = quality_by_speed(file_.qs_per_vs, static_cast<double>(at_node(node).vs));
  const auto stepped = [](double q) { return q > 0 ? std::pow(kStep, std::round(std::log(q) / std::log(kStep))) : 0; };
  return {stepped(exact.p), stepped(exact.s)};
}

double Tomography::fastest_unrelaxed(double reference) const {
  if (!attenuates()) {
    return speeds().fastest;
  }
  LossTable table(reference);
  double fastest = 0;
  for_each_extreme([&](const TomographyNode& rock) {
    // Losses fall where waves are faster; the least of a step of 1 % may be missed, hence the margin.
    const Quality quality = quality_by_speed(file_.qs_per_vs, static_cast<double>(rock.vs));
    fastest = std::max(fastest, static_cast<double>(rock.vp) * table.of(quality.p / 1.01).stiffening);
  });
  return fastest;
}

double Tomography::least_quality() const {
  double least = 0;
  for_each_extreme([&](const TomographyNode& rock) {
    const double q = quality_by_speed(file_.qs_per_vs, static_cast<double>(rock.vs)).s;
    least = q > 0 && (least == 0 || q < least) ? q : least;
  });
  return least;
}

Speeds Tomography::speeds() const {
  Speeds found;
  for_each_extreme([&](const TomographyNode& rock) {
    found.fastest = std::max(found.fastest, static_cast<double>(rock.vp));
    found.slowest = std::min(found.slowest, static_cast<double>(rock.vs > 0 ? rock.vs : rock.vp));
  });
  return found;
}

template <typename Body>
void Tomography::for_each_extreme(const Body& body) const {
  // The corners of the domain bound its turned box.
  Vec3 low{};
  Vec3 high{};
  for (std::size_t corner = 0; corner < 8; ++corner) {
    const Index3 end = inside_domain(
        grid_, {corner & 1U ? grid_.cells[0] : 0, corner & 2U ? grid_.cells[1] : 0, corner & 4U ? grid_.cells[2] : 0});
    const Vec3 at =
        file_.frame.turned({grid_.corner[0] + grid_.spacing * end[0], grid_.corner[1] + grid_.spacing * end[1],
                            grid_.corner[2] + grid_.spacing * end[2]});
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = corner == 0 ? at[d] : std::min(low[d], at[d]);
      high[d] = corner == 0 ? at[d] : std::max(high[d], at[d]);
    }
  }
  // Linear along each axis: the extremes lie at nodes or at the ends of the box.
  std::array<std::vector<double>, 3> stops;
  for (std::size_t d = 0; d < 3; ++d) {
    stops[d] = {low[d], high[d]};
    std::copy_if(file_.axes[d].begin(), file_.axes[d].end(), std::back_inserter(stops[d]),
                 [&](double x) { return x > low[d] && x < high[d]; });
  }
  for (const double z : stops[2]) {
    for (const double y : stops[1]) {
      for (const double x : stops[0]) {
        body(value({x, y, z}));
      }
    }
  }
}

PackedBytes Tomography::part(const Box& /*own*/) const {
  PackedBytes packed;
  packed.put(GeologyKind::kTomography);
  packed.put(file_.frame);
  for (const auto& axis : file_.axes) {
    packed.put_list(axis);
  }
  packed.put_list(file_.nodes);
  packed.put(file_.qs_per_vs);
  return packed;
}

std::string Tomography::describe() const {
  return "a tomography of " + std::to_string(file_.axes[0].size()) + " x " + std::to_string(file_.axes[1].size()) +
         " x " + std::to_string(file_.axes[2].size()) + " nodes";
}

}  // namespace ondes3d
