// The name of this host.
#pragma once

#include <string>

namespace weft::base {

// The result of gethostname(), or "localhost" if that fails.
std::string host_name();

}  // namespace weft::base
