// Files of further arguments: --configfile and --app.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace weft::tools {

// The arguments with those of the file at `path` in place of the option that names it: its lines, split at spaces, with
// ":" between them. `rest`: what follows the options. Throws OptionError where a program follows, and where the file
// cannot be read or has nothing.
std::vector<std::string> with_file(std::span<const char* const> arguments, const std::string& path,
                                   const std::vector<std::string>& rest);

}  // namespace weft::tools
