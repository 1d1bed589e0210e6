// The files that are written when a run is over.
#pragma once

#include <string>
#include <vector>

#include "input/case.hpp"
#include "output/plane.hpp"
#include "output/sac.hpp"
#include "physics/recorder.hpp"

namespace ondes3d {

struct ResultOptions {
  bool text = true;  // seismograms as text
  bool sac = false;  // and for SAC
  GeographicOrigin origin;
  bool pictures = true;
};

// All of a run that its files show.
struct Recorded {
  const Case& c;
  const std::vector<Trace>& traces;  // as the stations
  const std::vector<PlaneResult>& planes;
  std::size_t bytes_per_value = 4;  // of the computation
};

// Writes seismograms, peak velocities and, when wanted and possible, pictures; returns their names in the folder.
// Throws std::runtime_error when a file cannot be written.
[[nodiscard]] std::vector<std::string> write_results(const std::string& folder, const Recorded& recorded,
                                                     const ResultOptions& options);

}  // namespace ondes3d
