// Unpacks a geology. The packed bytes begin with its kind.
#include "input/tomography.hpp"
#include "input/voxels.hpp"

namespace ondes3d {

std::shared_ptr<const SharedGeology> unpack_geology(const Grid& grid, PackedBytes packed) {
  if (packed.take<GeologyKind>() == GeologyKind::kVoxels) {
    return std::make_shared<Voxels>(grid, packed);
  }
  return std::make_shared<Tomography>(grid, packed);
}

}  // namespace ondes3d
