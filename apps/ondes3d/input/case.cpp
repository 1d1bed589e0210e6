#include "input/case.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "input/fields.hpp"
#include "input/input_error.hpp"

namespace ondes3d {
namespace {

// The published cases name their files from the folder in which the program once ran.
std::string locate(const Fields& fields, std::string_view name, const std::string& what) {
  const std::filesystem::path given = fields.text("", name, what);
  const std::filesystem::path folder = std::filesystem::path(fields.path()).parent_path();
  for (const auto& place : {given, folder / given, folder / given.filename()}) {
    if (std::filesystem::is_regular_file(place)) {
      return place.string();
    }
  }
  fields.fail("", name, "no file " + given.string() + " nor " + (folder / given.filename()).string(), what);
}

Layers read_layers(const Fields& fields) {
  if (fields.has("", "fgeo")) {
    fields.fail("", "nlayer", "a voxel geology, <fgeo>",
                "horizontal layers with a <depth> each and no <fgeo> (voxels are not read yet)");
  }
  const int count = fields.integer("", "nlayer", "the number of layers");
  if (count < 1) {
    fields.fail("", "nlayer", std::to_string(count), "the number of layers, at least 1");
  }
  Layers layers;
  for (int n = 1; n <= count; ++n) {
    const std::string tag = "layer" + std::to_string(n);
    Layer layer;
    layer.roof = 1000 * fields.number(tag, "depth", "the roof of the layer in km");
    layer.rho = fields.number_above(0, tag, "rho", "the density in kg/m3");
    layer.vp = fields.number_above(0, tag, "vp", "the speed of P waves in m/s");
    layer.vs = fields.number(tag, "vs", "the speed of S waves in m/s");
    // A medium needs a positive bulk modulus: vp^2 > 4/3 vs^2.
    if (layer.vs < 0 || 3 * layer.vp * layer.vp <= 4 * layer.vs * layer.vs) {
      fields.fail(tag, "vs", fields.text(tag, "vs", ""), "the speed of S waves in m/s, from 0 to 0.866 vp");
    }
    layers.push_back(layer);
  }
  // Roofs that rise are depths below the surface: both ways of writing occur.
  if (count > 1 && layers[1].roof > layers[0].roof) {
    for (Layer& layer : layers) {
      layer.roof = -layer.roof;
    }
  }
  for (std::size_t n = 1; n < layers.size(); ++n) {
    if (layers[n].roof >= layers[n - 1].roof) {
      const std::string tag = "layer" + std::to_string(n + 1);
      fields.fail(tag, "depth", fields.text(tag, "depth", ""), "a roof below the one of the layer before");
    }
  }
  return layers;
}

int extent(const Fields& fields, const std::string& low, const std::string& high) {
  const int first = fields.integer("", low, "the first cell");
  const int last = fields.integer("", high, "the last cell");
  if (last - first < 3) {
    fields.fail("", high, std::to_string(last), "the last cell, at least 3 above " + low);
  }
  return last - first + 1;
}

Grid read_grid(const Fields& fields, const CaseOptions& options) {
  Grid grid;
  grid.timestep = fields.number_above(0, "", "dt", "the time step in s");
  grid.spacing = fields.number_above(0, "", "ds", "the size of a cell in m");
  grid.steps = options.steps > 0 ? options.steps : fields.integer("", "tmax", "the number of time steps");
  if (grid.steps < 1) {
    fields.fail("", "tmax", std::to_string(grid.steps), "the number of time steps, at least 1");
  }
  grid.cpml = options.cpml;
  grid.cells = {extent(fields, "xMin", "xMax") + 2 * grid.cpml, extent(fields, "yMin", "yMax") + 2 * grid.cpml,
                extent(fields, "zMin", "zMax") + grid.cpml};
  grid.corner = {grid.spacing * (fields.integer("", "xMin", "") - grid.cpml),
                 grid.spacing * (fields.integer("", "yMin", "") - grid.cpml), -grid.spacing * (grid.cells[2] - 1)};
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

}  // namespace

Case read_case(const std::string& path, const CaseOptions& options) {
  const Fields fields = read_fields(path);
  if (const Field* const model = fields.find("", "model");
      model != nullptr && model->value != "1D" && !options.layers) {
    throw InputError(path, model->line, "MODEL_TYPE " + model->value,
                     "1D (tomography grids are not read yet; --layers takes the layers of the same file)");
  }
  Case c;
  c.model.grid = read_grid(fields, options);
  c.model.layers = read_layers(fields);
  if (fields.has("", "fd0")) {
    c.model.cpml.frequency = fields.number_above(0, "", "fd0", "the frequency of the CPML in Hz");
  }
  c.directory = fields.has("", "dir") ? fields.text("", "dir", "the folder of the results") : "";
  c.stations = read_stations(locate(fields, "fstatMap", "the station map"));
  auto [hypocentre, sources] =
      read_sources(locate(fields, "fsrcMap", "the source map"), locate(fields, "fsrcHist", "the source history"));
  c.hypocentre = hypocentre;
  c.sources = std::move(sources);
  c.planes = choose_planes(fields, c);
  leave_out_strangers(c);
  const auto scheme = check_scheme(c.model, c.sources);
  c.warnings.insert(c.warnings.end(), scheme.begin(), scheme.end());
  return c;
}

}  // namespace ondes3d
