// Checks weftrun's options --lb…, and prints the tables of their help.
#pragma once

#include <string>

#include "base/options.hpp"

namespace weft::tools {

// Throws base::OptionError if one of them names something that does not exist.
void check_balancing(const base::OptionValues& values);
// Says in one line which option has no effect with these values (the first one of them); empty if all have an effect.
std::string unused_balancing(const base::OptionValues& values);
// Prints the table of strategies, rules or models if the value of --lb, --lb-when or --lb-model is `help`. Returns
// whether one is.
bool print_balancing_help(const base::OptionValues& values);

}  // namespace weft::tools
