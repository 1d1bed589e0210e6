// Copies memory files of images to a checkpoint on a disk. Blocks, and lowers the priority of the calling process: call
// it in a child process.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/bootstrap/checkpoint_folder.hpp"
#include "runtime/bootstrap/image_files.hpp"

namespace weft::bootstrap {

// `files`: numbered as in ImageFiles. Throws std::runtime_error.
void save_files(const ImageFiles& images, std::uint32_t image, const std::vector<std::uint32_t>& files,
                const CheckpointTarget& to);
// Publishes a checkpoint of which all files are there: it replaces the previous one. Throws std::runtime_error where a
// file is missing.
void publish_checkpoint(const CheckpointTarget& target);

}  // namespace weft::bootstrap
