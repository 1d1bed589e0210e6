// Reads traces.
#pragma once

#include <iosfwd>

#include "trace/event.hpp"

namespace weft::trace {

// Throws Error, one line that says what is wrong and where, unless the stream holds a complete trace of this version.
Trace read(std::istream& in);

}  // namespace weft::trace
