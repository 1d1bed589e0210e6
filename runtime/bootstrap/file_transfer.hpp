// Copies memory files of images to another host, over a connection of its own. Blocks: for a child process.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/bootstrap/frame.hpp"
#include "runtime/bootstrap/image_files.hpp"
#include "runtime/bootstrap/launcher_port.hpp"

namespace weft::bootstrap {

// The key of FrameKind::kHello of a connection by which files come, before the largest number of a file; its own number
// is the host that sends them.
constexpr const char* kFilesHello = "files:";
// Throws std::runtime_error.
std::uint32_t most_of_files_hello(const Frame& hello);

// `files` as ImageFiles numbers them. Returns once they are whole there. Throws std::runtime_error.
void send_files(const ImageFiles& images, std::uint32_t image, const std::vector<std::uint32_t>& files,
                std::uint32_t own_host, const LauncherPort& to);
// The other end. Throws std::runtime_error.
void receive_files(const ImageFiles& images, FrameStream& from);

}  // namespace weft::bootstrap
