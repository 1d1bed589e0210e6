// Whose code an address is in, for reports that show the user's frames and not Weft's own.
#pragma once

#include <cstdint>
#include <string_view>

#include "launch/source_lines.hpp"

namespace weft::launch {

enum class CodeOwner : std::uint8_t {
  program,       // the user's program and its libraries
  rank_library,  // libraries of ours that each rank has a copy of: what programs call, and what ends them
  runtime,       // what all ranks of the process share
  system         // the C library and the like
};

bool is_rank_library(const char* path);

// `place` is code_place(address). Where that names no file it takes a lock of the dynamic linker's.
CodeOwner code_owner(const CodePlace& place, std::uintptr_t address);

// Of code of the runtime or of a rank library: a function that no program calls, by its name as image::describe() has
// it.
bool is_internal_name(std::string_view name);

}  // namespace weft::launch
