// Checks weftrun's options --lb…, and prints the tables of their help.
#pragma once

#include <string>

#include "base/options.hpp"

namespace weft::tools {

// Throws base::OptionError if one of them names something that does not exist.
void check_balancing(const base::OptionValues& values);
// A line on the first option that has no effect with these values; empty if all have one.
std::string unused_balancing(const base::OptionValues& values);
// Prints the table if one of them asks for it. Whether one does.
bool print_balancing_help(const base::OptionValues& values);

}  // namespace weft::tools
