// Finds the programs of ranks and the interpreters of scripts.
#pragma once

#include <string>
#include <vector>

#include "runtime/setup/program.hpp"

namespace weft::launch {

// The path of the application's program. A name without a slash is searched in the application's folders, in PATH, in
// the current folder and in the folder of `first`, the job's first program. Throws std::runtime_error.
std::string find_program(const runtime::Application& application, const std::string& first);

// The interpreter that the first line of a script names, perhaps with one argument; empty if the file is no script.
std::vector<std::string> interpreter_of(const std::string& path);

}  // namespace weft::launch
