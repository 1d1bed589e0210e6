// The files that are written when a run is over.
#pragma once

#include <string>
#include <vector>

#include "input/case.hpp"
#include "output/picture_formats.hpp"
#include "output/plane.hpp"
#include "output/sac.hpp"
#include "physics/recorder.hpp"

namespace ondes3d {

struct ResultOptions {
  bool text = true;  // seismograms as text
  bool sac = false;  // and for SAC
  GeographicOrigin origin;
  PictureKinds pictures;
  std::string launched;  // argv[0], beside which the program that draws is
};

// All of a run that its files show.
struct Recorded {
  const Case& c;
  const std::vector<Trace>& traces;  // as the stations
  const std::vector<PlaneResult>& planes;
  std::size_t bytes_per_value = 4;  // of the computation
  int panels = 6;                   // of each picture of the wave field
};

// Writes seismograms, peak velocities, what pictures show and, when wanted and possible, the pictures; returns their
// names in the folder. Throws std::runtime_error when a file cannot be written.
[[nodiscard]] std::vector<std::string> write_results(const std::string& folder, const Recorded& recorded,
                                                     const ResultOptions& options);

}  // namespace ondes3d
