// Tells to whom the code at an address belongs, for reports that show the user's frames and not Weft's own.
#pragma once

#include <cstdint>
#include <string_view>

#include "launch/source_lines.hpp"

namespace weft::launch {

enum class CodeOwner : std::uint8_t {
  program,       // the user's program and its libraries
  rank_library,  // Weft's libraries of which each rank has a copy, such as the Fortran bindings
  runtime,       // our code that all ranks of the process share
  system         // the C library and the like
};

bool is_rank_library(const char* path);

// `location` is code_location(address). Takes a lock of the dynamic linker where that names no file.
CodeOwner code_owner(const CodeLocation& location, std::uintptr_t address);

// For code of the runtime or of a rank library: whether it is a function that no program calls. `name` is as
// image::describe() returns it.
bool is_internal_name(std::string_view name);

}  // namespace weft::launch
