// Copies memory files of images to another host, over a connection of its own. Blocks: call it in a child process.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/bootstrap/frame.hpp"
#include "runtime/bootstrap/image_files.hpp"
#include "runtime/bootstrap/launcher_port.hpp"

namespace weft::bootstrap {

// The key of FrameKind::kHello on a connection for files, followed by the largest file number. The frame's number is
// the sending host.
constexpr const char* kFilesHello = "files:";
// Throws std::runtime_error.
std::uint32_t most_of_files_hello(const Frame& hello);

// `files`: numbered as in ImageFiles. Returns once the other host has them completely. Throws std::runtime_error.
void send_files(const ImageFiles& images, std::uint32_t image, const std::vector<std::uint32_t>& files,
                std::uint32_t own_host, const LauncherPort& to);
// The receiving end. Throws std::runtime_error.
void receive_files(const ImageFiles& images, FrameStream& from);

}  // namespace weft::bootstrap
