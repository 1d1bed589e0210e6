// Seismograms as text: a header, then time and three components per line.
#pragma once

#include <string>

#include "input/case.hpp"
#include "physics/recorder.hpp"

namespace ondes3d {

// Row n holds the velocity at (n + 1) * dt, with `digits` significant digits: 9 give a float back, 17 a double. Throws
// std::runtime_error when the file cannot be written.
void write_seismogram(const std::string& path, const Station& station, const Case& c, const Trace& trace, int digits);

}  // namespace ondes3d
