// Voxel geology: named media, one per cell of a box.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "input/geology_file.hpp"
#include "physics/medium.hpp"

namespace ondes3d {

// `<layerN>` of a parameter file with `<fgeo>`. Without a speed of P waves it is nothing: above the ground.
struct Medium {
  std::string name;
  Layer rock;  // its roof does not count
};

// Where the voxels lie: the middle of voxel (0, 0, 0) and the distances of middles, m.
struct VoxelFrame {
  Index3 count{};
  Vec3 origin{};
  Vec3 spacing{};

  // The voxel around a place, the nearest one for a place outside.
  [[nodiscard]] Index3 around(const Vec3& place) const;
};

// A file as it was read: 22.75 M voxels take as many bytes.
struct VoxelFile {
  VoxelFrame frame;
  std::vector<std::uint8_t> media;       // number of each voxel's medium, x fastest, then y, then z upwards
  std::array<std::size_t, 256> count{};  // voxels of each medium
  int levels = 0;                        // from the bottom; above them all is nothing
};

// Reads the file once, in one pass. Throws InputError: a header that is not nx ny nz, x0 y0 z0, dx dy dz, nodata_value;
// a medium that has no name in `media` (at most 255 of them); too few or too many voxels; no rock at all.
[[nodiscard]] VoxelFile read_voxels(const std::string& path, const std::vector<Medium>& media);

// The voxels that some cells of a grid ask for.
class Voxels final : public SharedGeology {
 public:
  // `media` in the order of the numbers in `file`.
  Voxels(const Grid& grid, VoxelFile file, const std::vector<Medium>& media);
  Voxels(const Grid& grid, PackedBytes& packed);

  [[nodiscard]] Elastic at(const Index3& node) const override;
  [[nodiscard]] Speeds speeds() const override;
  [[nodiscard]] bool attenuates() const override;
  [[nodiscard]] Quality quality(const Index3& node) const override;
  [[nodiscard]] double fastest_unrelaxed(double reference) const override;
  [[nodiscard]] double least_quality() const override;
  [[nodiscard]] PackedBytes part(const Box& own) const override;
  [[nodiscard]] std::string describe() const override;

 private:
  // A medium, and whether a voxel of the file is of it.
  struct Kind {
    Layer rock;
    bool found = false;
  };
  [[nodiscard]] std::uint8_t medium(const Index3& node) const;
  // The media that are found and are rock, or sea.
  [[nodiscard]] Layers rocks() const;
  // For each axis the voxel of each node of the grid, counted from the first one held here.
  void index();
  [[nodiscard]] std::size_t place(int x, int y, int z) const;

  Grid grid_;
  VoxelFrame frame_;
  Box held_;  // voxels
  std::vector<std::uint8_t> media_;
  std::vector<Kind> kinds_;
  std::vector<Elastic> palette_;  // of kinds_
  std::array<std::vector<int>, 3> index_;
};

}  // namespace ondes3d
