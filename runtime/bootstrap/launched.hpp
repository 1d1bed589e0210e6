// A process that Weft's own launcher has started.
#pragma once

#include <memory>

#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/bootstrap/rendezvous.hpp"

namespace weft::bootstrap {

// Ends this process (SIGTERM, soon after SIGKILL) when the connection to the launcher ends before finish().
std::unique_ptr<Bootstrap> connect_to_launcher(const Invitation& invitation);

}  // namespace weft::bootstrap
