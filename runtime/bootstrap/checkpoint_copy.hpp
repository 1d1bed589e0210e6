// Copies memory files of images to a checkpoint on a disk. Blocks: for a child process.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/bootstrap/checkpoint_folder.hpp"
#include "runtime/bootstrap/image_files.hpp"

namespace weft::bootstrap {

// `files` as ImageFiles numbers them. With the index among them the checkpoint is whole then, and takes the place of
// the one before. Throws std::runtime_error.
void save_files(const ImageFiles& images, std::uint32_t image, const std::vector<std::uint32_t>& files,
                const CheckpointPlace& to);

}  // namespace weft::bootstrap
