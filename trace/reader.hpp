// Reads traces.
#pragma once

#include <iosfwd>

#include "trace/event.hpp"

namespace weft::trace {

// Throws Error, with one line that says what is wrong and where, for anything that is not a whole trace of a version
// that is known here.
Trace read(std::istream& in);

}  // namespace weft::trace
