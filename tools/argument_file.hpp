// Reads further arguments from the file of --configfile or --app.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace weft::tools {

// Returns the arguments without the option that names the file at `path`, followed by the words of the file: its lines,
// split at spaces, with ":" between them. `rest`: the arguments that follow the options. Throws OptionError if a
// program is among them, and if the file cannot be read or is empty.
std::vector<std::string> expand_argument_file(std::span<const char* const> arguments, const std::string& path,
                                              const std::vector<std::string>& rest);

}  // namespace weft::tools
