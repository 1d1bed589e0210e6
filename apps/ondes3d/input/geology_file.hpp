// A geology that rank 0 reads whole and gives away in parts.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "input/packed_bytes.hpp"
#include "physics/geology.hpp"

namespace ondes3d {

// The first value in the packed bytes of a geology.
enum class GeologyKind : int { kVoxels, kTomography };

class SharedGeology : public Geology {
 public:
  // What a rank with these cells needs of it.
  [[nodiscard]] virtual PackedBytes part(const Box& own) const = 0;
  // The least quality factor of the rock; 0 where nothing attenuates.
  [[nodiscard]] virtual double least_quality() const = 0;
  // "4 media in 500 x 350 x 130 voxels"
  [[nodiscard]] virtual std::string describe() const = 0;
};

// The inverse of part().
[[nodiscard]] std::shared_ptr<const SharedGeology> unpack_geology(const Grid& grid, PackedBytes packed);

// The node of the physical domain next to this one: absorbing layers hold the rock of their inner edge.
[[nodiscard]] inline Index3 inside_domain(const Grid& grid, const Index3& node) {
  return {std::clamp(node[0], grid.cpml, grid.cells[0] - 1 - grid.cpml),
          std::clamp(node[1], grid.cpml, grid.cells[1] - 1 - grid.cpml),
          std::clamp(node[2], grid.cpml, grid.cells[2] - 1)};
}

}  // namespace ondes3d
