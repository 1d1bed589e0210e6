// Demangles C++ names for crash reports.
#pragma once

#include <cstddef>

namespace weft::image {

// Writes the qualified name of an Itanium C++ ABI symbol to `text`, without parameters and template arguments:
// "_ZN4weft7runtime4waitERNS0_4RankE" is "weft::runtime::wait". A name that is not C++, or that this simple parser does
// not understand (operators, local classes), is copied unchanged. At most `size` bytes, always terminated; returns
// `text`. Allocates nothing, so unlike __cxa_demangle it is safe in a signal handler.
const char* readable_name(const char* symbol, char* text, std::size_t size) noexcept;

}  // namespace weft::image
