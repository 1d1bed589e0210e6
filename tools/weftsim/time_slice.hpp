// Measures how the system shares a core between threads that compute.
#pragma once

#include <cstddef>

#include "sim/calibration.hpp"

namespace weft::tools::weftsim {

// The length of a time slice, from `slices` slices of each of two threads that compute on the process's last core. A
// value of 0: the threads did not take turns within 20 seconds.
sim::Figure time_slice(std::size_t slices);

}  // namespace weft::tools::weftsim
