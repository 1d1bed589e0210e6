#include "input/rock_fields.hpp"

#include <cmath>
#include <filesystem>

#include "input/number.hpp"
#include "physics/relaxation.hpp"

namespace ondes3d {
namespace {

int layer_count(const Fields& fields) {
  const int count = fields.integer("", "nlayer", "the number of layers");
  if (count < 1) {
    fields.fail("", "nlayer", std::to_string(count), "the number of layers, at least 1");
  }
  fields.expect_layers(count);
  return count;
}

std::string layer_tag(std::size_t n) { return "layer" + std::to_string(n); }

double positive(const Fields& fields, const Range& range, const std::string& tag, const char* name,
                const std::string& what) {
  (void)fields.number_above(0, tag, name, what);
  return fields.number_within(range, tag, name, what);
}

Layer read_speeds(const Fields& fields, const std::string& tag) {
  Layer layer;
  layer.rho = positive(fields, kDensities, tag, "rho", "the density in kg/m3");
  layer.vp = positive(fields, kPSpeeds, tag, "vp", "the speed of P waves in m/s");
  layer.vs = fields.number(tag, "vs", "the speed of S waves in m/s");
  // A medium needs a positive bulk modulus: vp^2 > 4/3 vs^2.
  if (layer.vs < 0 || 3 * layer.vp * layer.vp <= 4 * layer.vs * layer.vs) {
    fields.fail(tag, "vs", fields.text(tag, "vs", ""), "the speed of S waves in m/s, from 0 to 0.866 vp");
  }
  return layer;
}

// The first of these fields that the layer has, 0 where it is not positive, which means no loss; `otherwise` where it
// has none of them.
double quality(const Fields& fields, const std::string& tag, std::initializer_list<const char*> names,
               double otherwise) {
  for (const char* const name : names) {
    if (fields.has(tag, name)) {
      return std::max(0.0, fields.number_within(kQualities, tag, name, "a quality factor, 0 for no loss"));
    }
  }
  return otherwise;
}

void read_quality(const Fields& fields, const std::string& tag, const LossOptions& loss, Layer& layer) {
  if (loss.none) {
    return;
  }
  const Quality otherwise = quality_by_speed(loss.qs_per_vs, layer.vs);
  layer.qp = quality(fields, tag, {"Qp", "qp", "q", "q0"}, otherwise.p);
  layer.qs = quality(fields, tag, {"Qs", "qs", "q", "q0"}, otherwise.s);
}

Index3 node_near(const Grid& grid, const Vec3& place) {
  const Vec3 at = grid.in_cells(place);
  Index3 node{};
  for (std::size_t d = 0; d < 3; ++d) {
    node[d] = static_cast<int>(std::clamp(std::round(at[d]), -1e6, 1e6));
  }
  return inside_domain(grid, node);
}

Layer layer_of(const Elastic& rock, double roof) {
  return {roof, rock.rho, std::sqrt((rock.lambda + 2 * rock.mu) / rock.rho), std::sqrt(rock.mu / rock.rho)};
}

bool same(const Elastic& a, const Elastic& b) { return a.rho == b.rho && a.lambda == b.lambda && a.mu == b.mu; }

// A domain beyond the voxels gets the rock of the nearest ones: somewhat beyond, they may be meant to go on.
void check_reach(const Fields& fields, const VoxelFrame& frame, const Grid& grid, std::vector<std::string>& warnings) {
  constexpr std::array<const char*, 3> kOrigins{"x0", "y0", "z0"};
  for (std::size_t d = 0; d < 3; ++d) {
    const double low = grid.corner[d] + grid.spacing * grid.cpml;
    const double high = grid.corner[d] + grid.spacing * (grid.cells[d] - 1 - (d < 2 ? grid.cpml : 0));
    const double begin = frame.origin[d] - frame.spacing[d] / 2;
    const double end = begin + frame.spacing[d] * frame.count[d];
    const auto range = [](double from, double to) { return "from " + shown(from) + " to " + shown(to) + " m"; };
    const std::string axis(1, kOrigins[d][0]);
    if (high < begin || low > end) {
      fields.fail("", kOrigins[d], "a domain " + range(low, high),
                  "a domain among the voxels, which reach in " + axis + " " + range(begin, end));
    }
    if (low < begin - grid.spacing / 2 || high > end + grid.spacing / 2) {
      warnings.push_back("the domain reaches in " + axis + " " + range(low, high) + ", the voxels " +
                         range(begin, end) + ": beyond them stands the rock of the outermost ones");
    }
  }
}

}  // namespace

std::string locate(const Fields& fields, std::string_view within, std::string_view name, const std::string& what) {
  const std::filesystem::path given = fields.text(within, name, what);
  const std::filesystem::path folder = std::filesystem::path(fields.path()).parent_path();
  for (const auto& place : {given, folder / given, folder / given.filename()}) {
    for (const char* const ending : {"", ".gz"}) {
      if (auto path = place.string() + ending; std::filesystem::is_regular_file(path)) {
        return path;
      }
    }
  }
  fields.fail(within, name, "no file " + given.string() + " nor " + (folder / given.filename()).string(), what);
}

Layers read_layers(const Fields& fields, const LossOptions& loss) {
  const int count = layer_count(fields);
  Layers layers;
  for (std::size_t n = 1; n <= static_cast<std::size_t>(count); ++n) {
    const double roof = 1000 * fields.number_within(kDepths, layer_tag(n), "depth", "the roof of the layer in km");
    layers.push_back(read_speeds(fields, layer_tag(n)));
    layers.back().roof = roof;
    read_quality(fields, layer_tag(n), loss, layers.back());
  }
  // Roofs that rise are depths below the surface: both ways of writing occur.
  if (count > 1 && layers[1].roof > layers[0].roof) {
    for (Layer& layer : layers) {
      layer.roof = -layer.roof;
    }
  }
  for (std::size_t n = 1; n < layers.size(); ++n) {
    if (layers[n].roof >= layers[n - 1].roof) {
      const std::string tag = layer_tag(n + 1);
      fields.fail(tag, "depth", fields.text(tag, "depth", ""), "a roof below the one of the layer before");
    }
  }
  return layers;
}

std::vector<Medium> read_media(const Fields& fields, const LossOptions& loss) {
  const int count = layer_count(fields);
  if (count > 255) {
    fields.fail("", "nlayer", std::to_string(count), "at most 255 media");
  }
  std::vector<Medium> media;
  for (std::size_t n = 1; n <= static_cast<std::size_t>(count); ++n) {
    const std::string tag = layer_tag(n);
    const std::string name = fields.text(tag, "name", "the name of the medium as the geology writes it");
    for (const Medium& other : media) {
      if (other.name == name) {
        fields.fail(tag, "name", name + " a second time", "a name of its own for each medium");
      }
    }
    // A medium without P waves is nothing, whatever its density.
    const bool nothing = fields.number(tag, "vp", "the speed of P waves in m/s, 0 for nothing") == 0;
    media.push_back({name, nothing ? Layer{} : read_speeds(fields, tag)});
    if (!nothing) {
      read_quality(fields, tag, loss, media.back().rock);
    }
  }
  return media;
}

std::shared_ptr<const SharedGeology> read_voxel_geology(const Fields& fields, const LossOptions& loss, Grid& grid,
                                                        std::vector<std::string>& warnings) {
  const auto media = read_media(fields, loss);
  VoxelFile file = read_voxels(locate(fields, "", "fgeo", "the voxel geology"), media);
  const auto level_of = [&](int k) { return file.frame.around({0, 0, grid.corner[2] + grid.spacing * k})[2]; };
  while (grid.cells[2] > grid.cpml && level_of(grid.cells[2] - 1) >= file.levels) {
    --grid.cells[2];
  }
  if (grid.cells[2] < grid.cpml + 4) {
    fields.fail("", "zMin", "less than 4 levels of rock from zMin to zMax",
                "a domain below the ground of " + fields.text("", "fgeo", ""));
  }
  check_reach(fields, file.frame, grid, warnings);
  return std::make_shared<Voxels>(grid, std::move(file), media);
}

std::shared_ptr<const SharedGeology> read_tomography_geology(const Fields& fields, const LossOptions& loss,
                                                             const Grid& grid) {
  const std::string path = locate(fields, "", "model_file", "the tomography");
  Index3 count{};
  constexpr std::array<const char*, 3> kNames{"imax", "jmax", "kmax"};
  for (std::size_t d = 0; d < 3; ++d) {
    const std::string what = "the number of nodes of the tomography along an axis, at least 1";
    count[d] = fields.integer("", kNames[d], what);
    if (count[d] < 1) {
      fields.fail("", kNames[d], std::to_string(count[d]), what);
    }
  }
  TomographyFile file = read_tomography(path, count);
  file.frame = {fields.number("", "x0", "the x of the tomography's origin in km"),
                fields.number("", "y0", "the y of the tomography's origin in km"),
                fields.number_within(kAzimuths, "", "theta", "the turn of the tomography in degrees")};
  file.qs_per_vs = loss.none ? 0 : loss.qs_per_vs;
  return std::make_shared<Tomography>(grid, std::move(file));
}

Layers column_of(const Geology& geology, const Grid& grid, const Vec3& place) {
  Index3 node = node_near(grid, place);
  Layers layers;
  Elastic before;
  for (node[2] = grid.cells[2] - 1; node[2] >= grid.cpml; --node[2]) {
    const Elastic here = geology.at(node);
    if (here.rho > 0 && !same(here, before)) {
      layers.push_back(layer_of(here, grid.corner[2] + grid.spacing * (node[2] + 0.5)));
      before = here;
    }
  }
  return layers;
}

double ground_at(const Geology& geology, const Grid& grid, const Vec3& place) {
  Index3 node = node_near(grid, place);
  node[2] = grid.cells[2] - 1;
  while (node[2] > grid.cpml && geology.at(node).rho == 0) {
    --node[2];
  }
  return grid.corner[2] + grid.spacing * node[2];
}

}  // namespace ondes3d
