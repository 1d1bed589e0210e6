// Names an address for a crash report.
#pragma once

#include <cstddef>

namespace weft::image {

// Writes "function+0x12 (libfoo.so)" for an address of a rank or of the host, or the bare address, to text; at most
// size bytes, always terminated. Returns text. Allocates nothing and reads only what load() mapped: fit for a crash
// handler. Names are as the linker has them (C++ mangled).
const char* describe(const void* address, char* text, std::size_t size) noexcept;

}  // namespace weft::image
