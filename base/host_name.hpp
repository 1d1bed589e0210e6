// The name of this host.
#pragma once

#include <string>

namespace weft::base {

// As gethostname() has it; "localhost" where there is none.
std::string host_name();

}  // namespace weft::base
