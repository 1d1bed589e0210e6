// The pictures of a run: seismograms, peak velocity and wave field of each plane.
#pragma once

#include <string>
#include <vector>

#include "output/results.hpp"

namespace ondes3d {

// Returns the names of the files in the folder, or one line that says why there are none.
[[nodiscard]] std::vector<std::string> write_pictures(const std::string& folder, const Recorded& recorded);

}  // namespace ondes3d
