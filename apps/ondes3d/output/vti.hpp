// Files for ParaView: VTK image data (raw appended binary), their parallel index, and time series.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "physics/box.hpp"

namespace ondes3d {

// One array over the points of an image, x fastest; a view.
struct ImageArray {
  std::string name;
  int components = 1;
  std::string type;  // Float32, Float64, Int32
  std::span<const std::byte> bytes;
};

template <typename Value>
[[nodiscard]] ImageArray image_array(std::string name, int components, std::span<const Value> values) {
  static_assert(std::is_floating_point_v<Value> || sizeof(Value) == 4);
  const char* const type = !std::is_floating_point_v<Value> ? "Int32" : sizeof(Value) == 4 ? "Float32" : "Float64";
  return {std::move(name), components, type, std::as_bytes(values)};
}

// A lattice of points in space. Extents count points, as VTK's do: `hi` is one past the last.
struct ImageFrame {
  Box whole;
  Vec3 origin{};   // m, of point (0, 0, 0)
  Vec3 spacing{};  // m
};

// Write a file; throw std::runtime_error when it cannot be written. `piece` is the part of the frame that the arrays
// cover; pieces share the points on their common borders.
void write_vti(const std::string& path, const ImageFrame& frame, const Box& piece,
               const std::vector<ImageArray>& arrays);
// The index of the pieces: the arrays' bytes are not used, the pieces' paths are relative to the index.
void write_pvti(const std::string& path, const ImageFrame& frame, const std::vector<ImageArray>& arrays,
                const std::vector<std::pair<Box, std::string>>& pieces);
// Files with their times, s; paths relative to the series.
void write_pvd(const std::string& path, const std::vector<std::pair<double, std::string>>& files);

}  // namespace ondes3d
