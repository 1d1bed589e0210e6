// C++ names as their authors wrote them, for crash reports.
#pragma once

#include <cstddef>

namespace weft::image {

// Writes the qualified name behind a symbol of the Itanium C++ ABI to text, without parameters and template arguments:
// "_ZN4weft7runtime4waitERNS0_4RankE" is "weft::runtime::wait". A name that is not C++, or that this short reading does
// not understand (operators, local classes), is copied as it is. At most size bytes, always terminated; returns text.
// Allocates nothing: fit for a signal handler, which __cxa_demangle is not.
const char* readable_name(const char* symbol, char* text, std::size_t size) noexcept;

}  // namespace weft::image
