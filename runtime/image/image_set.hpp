// Collects a program's files: itself, the shim, and every needed library that is not shared.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/image/layout.hpp"

namespace weft::image {

// Program, shim (if shim_path is not empty), then private libraries breadth first. Opens shared libraries in this
// process, for all to see. Throws LoadError.
std::vector<Image> collect_images(const std::string& path, const std::string& shim_path,
                                  std::span<const std::string> shared, const std::string& library_path);

// Indices of images such that each comes after those it needs; the shim (1, if has_shim) first.
std::vector<std::uint32_t> dependencies_first(std::span<const Image> images, bool has_shim);

}  // namespace weft::image
