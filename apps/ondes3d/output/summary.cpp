#include "output/summary.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "output/out_file.hpp"
#include "physics/cpml.hpp"
#include "physics/relaxation.hpp"
#include "physics/stability.hpp"

namespace ondes3d {
namespace {

// Values that Stress and Velocity must at least read or write per cell and step: each field once, with attenuation six
// memory variables, with rock of cells its eight coefficients, 13 where it attenuates.
double values_moved(const Case& c) {
  constexpr double kStress = 6 * 2 + 3, kVelocity = 3 * 2 + 6;
  return kStress + kVelocity + (attenuates(c.model) ? 6 * 2 : 0) + (c.geology ? (attenuates(c.model) ? 13 : 8) : 0);
}

struct Spread {
  double least = 0, mean = 0, most = 0;
};

Spread spread(const std::vector<double>& values) {
  if (values.empty()) {
    return {};
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {*least, std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()), *most};
}

std::string spread_line(const char* name, const Spread& s) {
  return format("  %-22s %9.2f %9.2f %9.2f %9.2f\n", name, s.least, s.mean, s.most, s.mean > 0 ? s.most / s.mean : 1.0);
}

double scalar_moment(const std::vector<Source>& sources) {
  double moment = 0;
  for (const Source& source : sources) {
    moment += source.interval * std::accumulate(source.rate.begin(), source.rate.end(), 0.0);
  }
  return moment;
}

// A line per stem, its endings behind it: "  peak-velocity.vti .asc .png".
std::string listed(const std::vector<std::string>& files) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const std::string& file : files) {
    const std::string stem = file.substr(0, file.find_last_of('.'));
    const auto known = std::find_if(lines.begin(), lines.end(), [&](const auto& entry) { return entry.first == stem; });
    if (known == lines.end()) {
      lines.emplace_back(stem, file);
    } else {
      known->second.append(" ").append(file.substr(stem.size()));
    }
  }
  std::string text;
  for (const auto& [stem, all] : lines) {
    text.append("  ").append(all).append("\n");
  }
  return text;
}

}  // namespace

std::string describe(const Case& c, const Decomposition& columns, std::size_t bytes_per_value) {
  const Grid& grid = c.model.grid;
  const auto [fastest, slowest] = speeds(c.model);
  const double limit = longest_stable_step(grid.spacing, fastest);
  const double cells = static_cast<double>(grid.box().volume());
  const double fields = attenuates(c.model) ? 15 : 9;
  std::string text;
  text += format("grid      %d x %d x %d cells of %g m, %d of them CPML on each of five faces: %.2f M cells, %.0f MB\n",
                 grid.cells[0], grid.cells[1], grid.cells[2], grid.spacing, grid.cpml, cells / 1e6,
                 fields * cells * static_cast<double>(bytes_per_value) / 1e6);
  text += format("time      %d steps of %g s (%.0f %% of the Courant limit %.4g s): %g s\n", grid.steps, grid.timestep,
                 100 * grid.timestep / limit, limit, grid.steps * grid.timestep);
  const std::size_t layers = c.model.layers.size();
  const std::string rock =
      c.geology ? c.geology->describe() : std::to_string(layers) + (layers == 1 ? " layer" : " layers");
  text += format("rock      %s, vp up to %g m/s, slowest wave %g m/s, %s\n", rock.c_str(), fastest, slowest,
                 attenuates(c.model) ? "anelastic" : "elastic");
  text += format("source    %zu point%s, moment %.3g N m\n", c.sources.size(), c.sources.size() == 1 ? "" : "s",
                 scalar_moment(c.sources));
  text += format("stations  %zu\n", c.stations.size());
  text += format("ranks     %d = %d x %d x %d blocks, %s precision\n", columns.ranks(), columns.parts()[0],
                 columns.parts()[1], columns.parts()[2], bytes_per_value == 4 ? "single" : "double");
  return text;
}

std::string summarize(const Case& c, const Outcome& outcome) {
  const Grid& grid = c.model.grid;
  const double updates = static_cast<double>(grid.box().volume()) * grid.steps;
  std::string text = format("\n%-24s %.2f s, %.2f s of it for planes and files on the slowest rank\n",
                            "time of the loop", outcome.seconds, outcome.looking);
  text += format("%-24s %.1f M cells/s, at least %.2f GB/s\n", "speed", updates / outcome.seconds / 1e6,
                 updates * values_moved(c) * static_cast<double>(outcome.bytes_per_value) / outcome.seconds / 1e9);
  text += format("%-24s %.0f MB in the largest process\n", "memory", outcome.memory / 1e6);
  text += format("%-24s %9s %9s %9s %9s\n", "computing seconds", "min", "mean", "max", "max/mean");
  constexpr std::array<const char*, kKernels> kNames{"Intermediates", "Stress", "Velocity"};
  std::vector<double> total(outcome.load.by_rank.size(), 0.0);
  for (std::size_t kernel = 0; kernel < kKernels; ++kernel) {
    std::vector<double> seconds;
    for (std::size_t rank = 0; rank < total.size(); ++rank) {
      seconds.push_back(outcome.load.by_rank[rank][kernel]);
      total[rank] += seconds.back();
    }
    text += spread_line(kNames[kernel], spread(seconds));
  }
  text += spread_line("all of a rank", spread(total));
  if (!outcome.load.by_worker.empty()) {
    text += spread_line("all of a worker", spread(outcome.load.by_worker));
    for (std::size_t worker = 0; worker < outcome.load.by_worker.size(); ++worker) {
      text += format("    worker %-4zu %20.2f s, %.0f %% of the loop\n", worker, outcome.load.by_worker[worker],
                     100 * outcome.load.by_worker[worker] / outcome.seconds);
    }
  }
  return text + "results in " + outcome.folder + "\n" + listed(outcome.files);
}

}  // namespace ondes3d
