#include "input/voxels.hpp"

#include <cmath>
#include <utility>

#include "physics/relaxation.hpp"

namespace ondes3d {

Index3 VoxelFrame::around(const Vec3& place) const {
  Index3 voxel{};
  for (std::size_t d = 0; d < 3; ++d) {
    const double at = std::round((place[d] - origin[d]) / spacing[d]);
    voxel[d] = static_cast<int>(std::clamp(at, 0.0, static_cast<double>(count[d] - 1)));
  }
  return voxel;
}

Voxels::Voxels(const Grid& grid, VoxelFile file, const std::vector<Medium>& media)
    : grid_(grid), frame_(file.frame), held_{{0, 0, 0}, file.frame.count}, media_(std::move(file.media)) {
  for (std::size_t n = 0; n < media.size(); ++n) {
    kinds_.push_back({media[n].rock, file.count[n] > 0});
  }
  index();
}

Voxels::Voxels(const Grid& grid, PackedBytes& packed)
    : grid_(grid),
      frame_(packed.take<VoxelFrame>()),
      held_(packed.take<Box>()),
      media_(packed.take_list<std::uint8_t>()),
      kinds_(packed.take_list<Kind>()) {
  index();
}

void Voxels::index() {
  for (const Kind& kind : kinds_) {
    palette_.push_back(kind.rock.vp > 0 ? elastic(kind.rock) : Elastic{});
  }
  for (std::size_t d = 0; d < 3; ++d) {
    for (int n = 0; n < grid_.cells[d]; ++n) {
      Index3 node{};
      node[d] = n;
      const double inside = grid_.corner[d] + grid_.spacing * inside_domain(grid_, node)[d];
      Vec3 at{};
      at[d] = inside;
      index_[d].push_back(frame_.around(at)[d] - held_.lo[d]);
    }
  }
}

std::size_t Voxels::place(int x, int y, int z) const {
  const auto held = [this](int axis) { return static_cast<std::size_t>(held_.extent(axis)); };
  return (static_cast<std::size_t>(z) * held(1) + static_cast<std::size_t>(y)) * held(0) + static_cast<std::size_t>(x);
}

std::uint8_t Voxels::medium(const Index3& node) const {
  const auto of = [&](std::size_t d) { return index_[d][static_cast<std::size_t>(node[d])]; };
  return media_[place(of(0), of(1), of(2))];
}

Elastic Voxels::at(const Index3& node) const { return palette_[medium(node)]; }

Quality Voxels::quality(const Index3& node) const {
  const Layer& rock = kinds_[medium(node)].rock;
  return {rock.qp, rock.qs};
}

Layers Voxels::rocks() const {
  Layers rocks;
  for (const Kind& kind : kinds_) {
    if (kind.found && kind.rock.vp > 0) {
      rocks.push_back(kind.rock);
    }
  }
  return rocks;
}

Speeds Voxels::speeds() const { return {fastest_p(rocks()), slowest_wave(rocks())}; }

bool Voxels::attenuates() const { return ondes3d::attenuates(rocks()); }

double Voxels::fastest_unrelaxed(double reference) const { return fastest_p(unrelaxed(rocks(), reference)); }

double Voxels::least_quality() const { return ondes3d::least_quality(rocks()); }

PackedBytes Voxels::part(const Box& own) const {
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto last = static_cast<std::size_t>(std::min(own.hi[d], grid_.cells[d] - 1));
    box.lo[d] = index_[d][static_cast<std::size_t>(own.lo[d])];
    box.hi[d] = index_[d][last] + 1;
  }
  std::vector<std::uint8_t> media;
  media.reserve(box.volume());
  for (int z = box.lo[2]; z < box.hi[2]; ++z) {
    for (int y = box.lo[1]; y < box.hi[1]; ++y) {
      const auto row = media_.begin() + static_cast<std::ptrdiff_t>(place(box.lo[0], y, z));
      media.insert(media.end(), row, row + box.extent(0));
    }
  }
  PackedBytes packed;
  packed.put(GeologyKind::kVoxels);
  packed.put(frame_);
  packed.put(box);
  packed.put_list(media);
  packed.put_list(kinds_);
  return packed;
}

std::string Voxels::describe() const {
  std::string text = std::to_string(palette_.size()) + " media in ";
  text += std::to_string(frame_.count[0]) + " x " + std::to_string(frame_.count[1]) + " x ";
  return text + std::to_string(frame_.count[2]) + " voxels";
}

}  // namespace ondes3d
