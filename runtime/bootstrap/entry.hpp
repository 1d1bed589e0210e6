// How a process comes in at the port of another one that has an Acceptor.
#pragma once

#include <memory>

#include "runtime/bootstrap/frame.hpp"
#include "runtime/bootstrap/launcher_port.hpp"

namespace weft::bootstrap {

// `hello` is FrameKind::kHello with the port's secret. Throws std::runtime_error where nobody answers.
std::unique_ptr<FrameStream> enter(const LauncherPort& port, const Frame& hello);

}  // namespace weft::bootstrap
