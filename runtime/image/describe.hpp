// Names an address for a crash report.
#pragma once

#include <cstddef>

namespace weft::image {

// Writes "function+0x12 (libfoo.so)" for an address of a rank or of the host, or the bare address, to `text`: at most
// `size` bytes, always terminated. Returns `text`. Allocates nothing and reads only what load() mapped, so a crash
// handler may call it. C++ names are written without their parameters.
const char* describe(const void* address, char* text, std::size_t size) noexcept;

// Reads the names of this library's own functions for describe(), since most are not exported. Call it before the first
// rank starts. Does nothing if the file cannot be read.
void read_own_names();

}  // namespace weft::image
