// Where the programs of ranks are, and what runs a script.
#pragma once

#include <string>
#include <vector>

#include "runtime/setup/program.hpp"

namespace weft::launch {

// Where everybody looks, and besides in the current folder and in that of the job's first program. Throws
// std::runtime_error.
std::string find_program(const runtime::Application& application, const std::string& first);

// What the first line of a script says runs it, with one argument perhaps; empty if the file is none.
std::vector<std::string> interpreter_of(const std::string& path);

}  // namespace weft::launch
