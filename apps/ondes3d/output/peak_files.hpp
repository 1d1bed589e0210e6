// Peak velocities as files for other programs.
#pragma once

#include <string>

#include "input/case.hpp"
#include "output/plane.hpp"

namespace ondes3d {

// For ParaView; Float32, or Float64 where a value has eight bytes. Throw std::runtime_error when a file cannot be
// written.
void write_peak_image(const std::string& path, const Grid& grid, const PlaneResult& result,
                      std::size_t bytes_per_value);

// An ESRI ASCII grid, rows from north to south, m and m/s: GMT, QGIS and others read it. The plane is level.
void write_peak_grid(const std::string& path, const Grid& grid, const PlaneResult& result, std::size_t bytes_per_value);

}  // namespace ondes3d
