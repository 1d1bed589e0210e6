// Connects to the port of another process that has an Acceptor.
#pragma once

#include <memory>

#include "runtime/bootstrap/frame.hpp"
#include "runtime/bootstrap/launcher_port.hpp"

namespace weft::bootstrap {

// `hello` is FrameKind::kHello with the port's secret. Throws std::runtime_error where no Acceptor answers.
std::unique_ptr<FrameStream> connect_with_secret(const LauncherPort& port, const Frame& hello);

}  // namespace weft::bootstrap
