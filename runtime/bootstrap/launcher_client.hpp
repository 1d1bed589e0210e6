// The client of Weft's own launcher, in a process that it has started.
#pragma once

#include <memory>

#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/bootstrap/launcher_address.hpp"

namespace weft::bootstrap {

// Ends this process without a message when the connection to the launcher ends before finish(): the job is over.
std::unique_ptr<Bootstrap> connect_to_launcher(const LauncherAddress& address);

}  // namespace weft::bootstrap
