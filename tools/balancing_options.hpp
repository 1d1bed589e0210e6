// weftrun's options --lb…: what they may say, and the tables that their help prints.
#pragma once

#include <string>

#include "base/options.hpp"

namespace weft::tools {

// Throws base::OptionError where one of them names what does not exist.
void check_balancing(const base::OptionValues& values);
// A line on the first that has no effect as they are; empty if all have one.
std::string unused_balancing(const base::OptionValues& values);
// True if one of them asked for its table, which is printed then.
bool print_balancing_help(const base::OptionValues& values);

}  // namespace weft::tools
