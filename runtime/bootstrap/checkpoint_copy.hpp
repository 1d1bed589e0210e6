// Copies memory files of images to a checkpoint on a disk. Blocks, and lowers the priority of the process that calls
// it: for a child process.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/bootstrap/checkpoint_folder.hpp"
#include "runtime/bootstrap/image_files.hpp"

namespace weft::bootstrap {

// `files` as ImageFiles numbers them. Throws std::runtime_error.
void save_files(const ImageFiles& images, std::uint32_t image, const std::vector<std::uint32_t>& files,
                const CheckpointTarget& to);
// All files are there: the checkpoint takes the place of the one before. Throws std::runtime_error where one is
// missing.
void publish_checkpoint(const CheckpointTarget& target);

}  // namespace weft::bootstrap
