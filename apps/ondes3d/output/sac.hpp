// Seismograms in SAC's binary format, header version 6.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "input/case.hpp"
#include "physics/recorder.hpp"

namespace ondes3d {

// 158 words in the machine's byte order; readers find the order by the header version. Undefined fields hold -12345.
struct SacHeader {
  std::array<float, 70> reals{};
  std::array<std::int32_t, 40> integers{};
  std::array<char, 192> names{};
};

// Latitude and longitude of x = y = 0, degrees.
using GeographicOrigin = std::optional<std::array<double, 2>>;

// The header of one component: 0 East, 1 North, 2 up. Time 0 is the begin of the rupture, values are m/s and SCALE is
// 1e9 (nm/s); USER0-2 hold the station's, USER3-5 the hypocentre's x y z in m, T0 and T1 the direct P and S waves of
// a layered rock. STLA, STLO, EVLA, EVLO are set when `origin` is.
[[nodiscard]] SacHeader sac_header(const Case& c, const Station& station, std::size_t component,
                                   const std::vector<float>& samples, const GeographicOrigin& origin);

// SEED name of a component for the time step: BXE, HXN, ...
[[nodiscard]] std::string channel_name(double timestep, std::size_t component);

// Writes three files, STEM.BXE.sac and so on. Throws std::runtime_error when one cannot be written.
void write_sac(const std::string& stem, const Case& c, const Station& station, const Trace& trace,
               const GeographicOrigin& origin);

}  // namespace ondes3d
