// How the system shares a core between threads that all want it.
#pragma once

#include <cstddef>

#include "sim/calibration.hpp"

namespace weft::tools::weftsim {

// How long each of two threads that compute on the last core of the process has it at a stretch, over so many stretches
// of each. A value of 0: they did not take turns within 20 seconds.
sim::Figure time_slice(std::size_t stretches);

}  // namespace weft::tools::weftsim
