// What a parameter file says of the rock: layers, or the file of a geology.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "input/fields.hpp"
#include "input/geology_file.hpp"
#include "input/tomography.hpp"
#include "input/voxels.hpp"

namespace ondes3d {

// The file that a field names: as it is written, beside the parameters, or there under its own name alone; also with
// .gz behind it. Throws InputError when there is none; `what` says what it should hold.
[[nodiscard]] std::string locate(const Fields& fields, std::string_view within, std::string_view name,
                                 const std::string& what);

// How quality factors are used.
struct LossOptions {
  bool none = false;     // ignore them
  double qs_per_vs = 0;  // for rock without any: quality_by_speed(); 0: that rock is elastic
};

// `<nlayer>` layers with a roof each, from top to bottom.
[[nodiscard]] Layers read_layers(const Fields& fields, const LossOptions& loss);

// `<nlayer>` named media of a voxel geology.
[[nodiscard]] std::vector<Medium> read_media(const Fields& fields, const LossOptions& loss);

// Voxels of `<fgeo>`. Levels above all rock are cut off the grid. Throws InputError where no voxel lies in the domain;
// adds to `warnings` where some of the domain has none.
[[nodiscard]] std::shared_ptr<const SharedGeology> read_voxel_geology(const Fields& fields, const LossOptions& loss,
                                                                      Grid& grid, std::vector<std::string>& warnings);

// The tomography of the older form.
[[nodiscard]] std::shared_ptr<const SharedGeology> read_tomography_geology(const Fields& fields,
                                                                           const LossOptions& loss, const Grid& grid);

// The rock below a place as layers, for travel times.
[[nodiscard]] Layers column_of(const Geology& geology, const Grid& grid, const Vec3& place);

// Height of the highest rock or sea around a place, m.
[[nodiscard]] double ground_at(const Geology& geology, const Grid& grid, const Vec3& place);

}  // namespace ondes3d
