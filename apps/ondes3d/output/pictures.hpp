// The pictures of a run: seismograms, peak ground velocity, wave field.
#pragma once

#include <string>
#include <vector>

#include "input/case.hpp"
#include "parallel/simulation.hpp"

namespace ondes3d {

// Returns the paths written, or one line that says why there are none.
[[nodiscard]] std::vector<std::string> write_pictures(const std::string& folder, const Case& c, const Results& results);

}  // namespace ondes3d
