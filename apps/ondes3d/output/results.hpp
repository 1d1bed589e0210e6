// All files of a run.
#pragma once

#include <string>
#include <vector>

#include "input/case.hpp"
#include "parallel/simulation.hpp"

namespace ondes3d {

// Writes seismograms as text and, when wanted and possible, pictures; returns a line for each thing written. Throws
// std::runtime_error when a file cannot be written.
[[nodiscard]] std::vector<std::string> write_results(const std::string& folder, const Case& c, const Results& results,
                                                     bool pictures);

}  // namespace ondes3d
