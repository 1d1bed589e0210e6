// Collects a program's files: the program, the shim, and every needed library that is not shared.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/image/layout.hpp"

namespace weft::image {

// Returns the program, the shim (if shim_path is not empty), private libraries breadth first, then plugins (patterns of
// file names) and libraries that only plugins need. Opens shared libraries in this process with global visibility.
// Throws LoadError.
std::vector<Image> collect_images(const std::string& path, const std::string& shim_path,
                                  std::span<const std::string> shared, std::span<const std::string> plugins,
                                  const std::string& library_path);

// Indices of images in an order in which each one follows those that it needs; the shim (1, if has_shim) comes first.
std::vector<std::uint32_t> dependencies_first(std::span<const Image> images, bool has_shim);

// The image that dlopen() of this name refers to, or null: a path is compared by file, a name without '/' with the
// soname.
const Image* find_opened(std::span<const Image> images, const std::string& name);

// The image and those that it needs, breadth first, by index.
std::vector<std::uint32_t> with_needed(std::span<const Image> images, std::uint32_t index);

}  // namespace weft::image
