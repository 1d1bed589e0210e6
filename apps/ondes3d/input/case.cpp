#include "input/case.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "input/fields.hpp"
#include "input/rock_fields.hpp"
#include "physics/relaxation.hpp"

namespace ondes3d {
namespace {

// Cells along an axis: the values of three fields on two planes are a message, and MPI counts them in an int.
constexpr int kMostCells = 16000;
// A trace has three values per step, and MPI counts them in an int.
constexpr int kMostSteps = std::numeric_limits<int>::max() / 3;

int extent(const Fields& fields, const std::string& low, const std::string& high) {
  const int first = fields.integer("", low, "the first cell");
  const int last = fields.integer("", high, "the last cell");
  if (const auto cells = static_cast<long long>(last) - first + 1; cells < 4) {
    fields.fail("", high, std::to_string(last), "the last cell, at least 3 above " + low);
  } else if (cells > kMostCells) {
    fields.fail("", high, std::to_string(last) + ", which makes " + std::to_string(cells) + " cells",
                "the last cell, with " + low + " at most " + std::to_string(kMostCells) + " cells along an axis");
  }
  return last - first + 1;
}

Grid read_grid(const Fields& fields, const CaseOptions& options) {
  Grid grid;
  grid.timestep = options.timestep > 0 ? options.timestep : fields.number_above(0, "", "dt", "the time step in s");
  grid.spacing = fields.number_above(0, "", "ds", "the size of a cell in m");
  grid.steps = options.steps > 0 ? options.steps : fields.integer("", "tmax", "the number of time steps");
  if (grid.steps < 1) {
    fields.fail("", "tmax", std::to_string(grid.steps), "the number of time steps, at least 1");
  }
  if (grid.steps > kMostSteps) {
    fields.fail("", "tmax", std::to_string(grid.steps),
                "the number of time steps, at most " + std::to_string(kMostSteps));
  }
  grid.cpml = options.cpml;
  grid.cells = {extent(fields, "xMin", "xMax") + 2 * grid.cpml, extent(fields, "yMin", "yMax") + 2 * grid.cpml,
                extent(fields, "zMin", "zMax") + grid.cpml};
  grid.corner = {grid.spacing * (fields.integer("", "xMin", "") - grid.cpml),
                 grid.spacing * (fields.integer("", "yMin", "") - grid.cpml), -grid.spacing * (grid.cells[2] - 1)};
  if (fields.has("", "fgeo")) {
    // Cells of a voxel case count from 1, and cell 1 lies at the origin of the voxels.
    constexpr std::array<std::array<const char*, 2>, 3> kNames{{{"x0", "xMin"}, {"y0", "yMin"}, {"z0", "zMin"}}};
    for (std::size_t d = 0; d < 3; ++d) {
      const auto& [origin, low] = kNames[d];
      grid.corner[d] = fields.number("", origin, "the coordinate of cell 1 in m") +
                       grid.spacing * (fields.integer("", low, "") - 1 - grid.cpml);
    }
  }
  return grid;
}

std::string at(const Vec3& p) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "(%g, %g, %g) m", p[0], p[1], p[2]);
  return text.data();
}

void leave_out_strangers(Case& c) {
  std::erase_if(c.sources, [&](const Source& source) {
    const bool outside = !c.model.grid.in_domain(source.point.position);
    if (outside) {
      c.warnings.push_back("source at " + at(source.point.position) + " lies outside the grid: left out");
    }
    return outside;
  });
  if (c.sources.empty()) {
    c.warnings.emplace_back("no source lies inside the grid: the ground will stay still");
  }
  std::erase_if(c.stations, [&](const Station& station) {
    const bool outside = !c.model.grid.in_domain(station.position);
    if (outside) {
      c.warnings.push_back("station " + std::string(station.name.data()) + " at " + at(station.position) +
                           " lies outside the grid: left out");
    }
    return outside;
  });
}

// Output planes: i0 j0 k0 count as xMin yMin zMin do; those outside the physical domain give way to the hypocentre's.
Index3 choose_planes(const Fields& fields, const Case& c) {
  const Grid& grid = c.model.grid;
  const Vec3 focus = grid.in_cells(c.hypocentre);
  const Index3 first{grid.cpml, grid.cpml, grid.cpml};
  const Index3 last{grid.cells[0] - 1 - grid.cpml, grid.cells[1] - 1 - grid.cpml, grid.cells[2] - 1};
  constexpr std::array<std::array<const char*, 2>, 3> kNames{{{"i0", "xMin"}, {"j0", "yMin"}, {"k0", "zMin"}}};
  Index3 planes{};
  for (std::size_t d = 0; d < 3; ++d) {
    planes[d] = d == 2 ? last[d] : static_cast<int>(std::lround(std::clamp(focus[d], 0.0 + first[d], 0.0 + last[d])));
    const auto& [name, low] = kNames[d];
    if (fields.has("", name)) {
      const int node = first[d] + fields.integer("", name, "the node of an output plane") - fields.integer("", low, "");
      planes[d] = node >= first[d] && node <= last[d] ? node : planes[d];
    }
  }
  return planes;
}

void read_rock(const Fields& fields, const CaseOptions& options, Case& c) {
  const Field* const model = fields.find("", "model");
  LossOptions loss{options.elastic, options.qs_per_vs};
  if (loss.qs_per_vs == 0 && fields.has("", "qs_per_vs")) {
    loss.qs_per_vs = fields.number_above(0, "", "qs_per_vs", "the quality factor of S per km/s");
  }
  if (fields.has("", "fgeo")) {
    c.geology = read_voxel_geology(fields, loss, c.model.grid, c.warnings);
  } else if (model != nullptr && model->value == "3D" && !options.layers) {
    c.geology = read_tomography_geology(fields, loss, c.model.grid);
  } else if (model != nullptr && model->value != "1D" && model->value != "3D") {
    fields.fail("", "model", model->value, "the type of the model, 1D or 3D");
  } else {
    c.model.layers = read_layers(fields, loss);
  }
  c.model.geology = c.geology;
}

void warn_of_quality(Case& c) {
  const double least = c.geology ? c.geology->least_quality() : least_quality(c.model.layers);
  if (least > 0 && least < kLeastQuality) {
    std::array<char, 120> text{};
    std::snprintf(text.data(), text.size(), "the least quality factor of the rock is %g: below %g it is met roughly",
                  least, kLeastQuality);
    c.warnings.emplace_back(text.data());
  }
}

// Travel times need layers; stations without a height stand on the ground.
void finish_with_geology(Case& c) {
  const Grid& grid = c.model.grid;
  if (c.geology) {
    c.model.layers = column_of(*c.geology, grid, c.hypocentre);
  }
  for (Station& station : c.stations) {
    if (std::isnan(station.position[2])) {
      station.position[2] = c.geology ? ground_at(*c.geology, grid, station.position) : 0;
    }
  }
}

}  // namespace

Case read_case(const std::string& path, const CaseOptions& options) {
  const Fields fields = read_fields(path);
  Case c;
  c.model.grid = read_grid(fields, options);
  read_rock(fields, options, c);
  if (fields.has("", "fd0")) {
    c.model.cpml.frequency = fields.number_above(0, "", "fd0", "the frequency of the CPML in Hz");
  }
  c.directory = fields.has("", "dir") ? fields.text("", "dir", "the folder of the results") : "";
  c.stations = read_stations(locate(fields, "", "fstatMap", "the station map"));
  auto [hypocentre, sources] = read_sources(locate(fields, "", "fsrcMap", "the source map"),
                                            locate(fields, "", "fsrcHist", "the source history"));
  c.hypocentre = hypocentre;
  c.sources = std::move(sources);
  c.planes = choose_planes(fields, c);
  finish_with_geology(c);
  leave_out_strangers(c);
  warn_of_quality(c);
  const auto scheme = check_scheme(c.model, c.sources);
  c.warnings.insert(c.warnings.end(), scheme.begin(), scheme.end());
  return c;
}

}  // namespace ondes3d
