// Collects a program's files: itself, the shim, and every needed library that is not shared.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/image/layout.hpp"

namespace weft::image {

// Program, shim (if shim_path is not empty), then private libraries breadth first, then plugins (patterns of file
// names) and what only they need. Opens shared libraries in this process, for all to see. Throws LoadError.
std::vector<Image> collect_images(const std::string& path, const std::string& shim_path,
                                  std::span<const std::string> shared, std::span<const std::string> plugins,
                                  const std::string& library_path);

// Indices of images such that each comes after those it needs; the shim (1, if has_shim) first.
std::vector<std::uint32_t> dependencies_first(std::span<const Image> images, bool has_shim);

// The image that dlopen of this name means, if it is one of them: by its file, or a name without '/' by its soname.
const Image* find_opened(std::span<const Image> images, const std::string& name);

// The image and those that it needs, breadth first, by number.
std::vector<std::uint32_t> with_needed(std::span<const Image> images, std::uint32_t index);

}  // namespace weft::image
