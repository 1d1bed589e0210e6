#include "output/sac.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>
#include <string_view>

#include "output/out_file.hpp"
#include "physics/ray.hpp"

namespace ondes3d {
namespace {

static_assert(sizeof(SacHeader) == 632);

// Word numbers of the SAC manual's header table: reals from 0, integers less 70, bytes of the names less word 110.
constexpr std::size_t kDelta = 0, kDepMin = 1, kDepMax = 2, kScale = 3, kBegin = 5, kEnd = 6, kOrigin = 7, kT0 = 10,
                      kStLa = 31, kStLo = 32, kStEl = 33, kStDp = 34, kEvLa = 35, kEvLo = 36, kEvDp = 38, kUser0 = 40,
                      kDist = 50, kAz = 51, kBaz = 52, kGcArc = 53, kDepMean = 56, kCmpAz = 57, kCmpInc = 58;
constexpr std::size_t kYear = 0, kDay = 1, kMillisecond = 5, kVersion = 6, kPoints = 9, kFileType = 15, kDependent = 16,
                      kZeroTime = 17, kEventType = 22, kEven = 35, kPolarity = 36, kOverwrite = 37, kCalculate = 38,
                      kSpare = 39;
constexpr std::size_t kStation = 0, kEvent = 8, kOriginName = 32, kT0Name = 48, kT1Name = 56, kUserName = 136,
                      kComponent = 160, kNetwork = 168;
constexpr int kTimeSeries = 1, kVelocityData = 7, kAtOrigin = 11, kEarthquake = 40;

constexpr double kDegree = 111194.93;  // m

void put(SacHeader& header, std::size_t at, std::string_view name, std::size_t width = 8) {
  std::fill_n(header.names.begin() + static_cast<std::ptrdiff_t>(at), width, ' ');
  std::copy_n(name.begin(), std::min(name.size(), width), header.names.begin() + static_cast<std::ptrdiff_t>(at));
}

SacHeader undefined() {
  SacHeader header;
  header.reals.fill(-12345);
  header.integers.fill(-12345);
  for (std::size_t at = 0; at < header.names.size(); at += at == kEvent ? 16 : 8) {
    put(header, at, "-12345", at == kEvent ? 16 : 8);
  }
  return header;
}

void put_samples(SacHeader& header, const std::vector<float>& samples, double dt) {
  const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
  const double count = static_cast<double>(samples.size());
  header.reals[kDelta] = static_cast<float>(dt);
  header.reals[kBegin] = static_cast<float>(dt);
  header.reals[kEnd] = static_cast<float>(count * dt);
  header.reals[kDepMin] = *least;
  header.reals[kDepMax] = *most;
  header.reals[kDepMean] = static_cast<float>(std::accumulate(samples.begin(), samples.end(), 0.0) / count);
  header.reals[kScale] = 1e9F;
  header.integers[kPoints] = static_cast<std::int32_t>(samples.size());
}

// Year and day are there for programs that insist on a date; the rupture begins at time 0.
void put_kind(SacHeader& header) {
  header.reals[kOrigin] = 0;
  put(header, kOriginName, "rupture");
  std::fill_n(header.integers.begin(), kMillisecond + 1, 0);
  header.integers[kYear] = 1970;
  header.integers[kDay] = 1;
  header.integers[kVersion] = 6;
  header.integers[kFileType] = kTimeSeries;
  header.integers[kDependent] = kVelocityData;
  header.integers[kZeroTime] = kAtOrigin;
  header.integers[kEventType] = kEarthquake;
  header.integers[kEventType] = kEarthquake;
  header.integers[kEven] = 1;
  header.integers[kPolarity] = 1;
  header.integers[kOverwrite] = 1;
  header.integers[kCalculate] = 0;
  header.integers[kSpare] = 0;
}

double degrees_from_north(double east, double north) {
  const double angle = std::atan2(east, north) * 180 / std::numbers::pi;
  return angle < 0 ? angle + 360 : angle;
}

void put_places(SacHeader& header, const Vec3& station, const Vec3& hypocentre, const GeographicOrigin& origin) {
  for (std::size_t d = 0; d < 3; ++d) {
    header.reals[kUser0 + d] = static_cast<float>(station[d]);
    header.reals[kUser0 + 3 + d] = static_cast<float>(hypocentre[d]);
  }
  put(header, kUserName, "xyz in m");
  const double east = station[0] - hypocentre[0];
  const double north = station[1] - hypocentre[1];
  const double metres = std::hypot(east, north);
  header.reals[kDist] = static_cast<float>(metres / 1000);
  header.reals[kGcArc] = static_cast<float>(metres / kDegree);
  header.reals[kAz] = static_cast<float>(degrees_from_north(east, north));
  header.reals[kBaz] = static_cast<float>(degrees_from_north(-east, -north));
  header.reals[kEvDp] = static_cast<float>(-hypocentre[2] / 1000);
  header.reals[kStEl] = 0;
  header.reals[kStDp] = static_cast<float>(-station[2]);
  if (origin) {
    const auto [latitude, longitude] = *origin;
    const double shrunk = kDegree * std::cos(latitude * std::numbers::pi / 180);
    header.reals[kStLa] = static_cast<float>(latitude + station[1] / kDegree);
    header.reals[kStLo] = static_cast<float>(longitude + station[0] / shrunk);
    header.reals[kEvLa] = static_cast<float>(latitude + hypocentre[1] / kDegree);
    header.reals[kEvLo] = static_cast<float>(longitude + hypocentre[0] / shrunk);
  }
}

void put_arrivals(SacHeader& header, const Case& c, const Vec3& station) {
  if (c.model.layers.empty()) {
    return;
  }
  header.reals[kT0] = static_cast<float>(direct_time(c.model.layers, c.hypocentre, station, Wave::kP));
  put(header, kT0Name, "P");
  const double s = direct_time(c.model.layers, c.hypocentre, station, Wave::kS);
  if (std::isfinite(s)) {
    header.reals[kT0 + 1] = static_cast<float>(s);
    put(header, kT1Name, "S");
  }
}

}  // namespace

SacHeader sac_header(const Case& c, const Station& station, std::size_t component, const std::vector<float>& samples,
                     const GeographicOrigin& origin) {
  SacHeader header = undefined();
  put_samples(header, samples, c.model.grid.timestep);
  put_kind(header);
  put_places(header, station.position, c.hypocentre, origin);
  put_arrivals(header, c, station.position);
  put(header, kStation, station.name.data());
  put(header, kComponent, channel_name(c.model.grid.timestep, component));
  put(header, kNetwork, "SY");
  // Inclination counts from upwards.
  header.reals[kCmpAz] = component == 0 ? 90 : 0;
  header.reals[kCmpInc] = component == 2 ? 0 : 90;
  return header;
}

std::string channel_name(double timestep, std::size_t component) {
  const double rate = 1 / timestep;
  const char band = rate >= 1000 ? 'F' : rate >= 250 ? 'C' : rate >= 80 ? 'H' : rate >= 10 ? 'B' : rate > 1 ? 'M' : 'L';
  return std::string{band, 'X', "ENZ"[component]};
}

void write_sac(const std::string& stem, const Case& c, const Station& station, const Trace& trace,
               const GeographicOrigin& origin) {
  for (std::size_t component = 0; component < 3; ++component) {
    std::vector<float> samples;
    samples.reserve(trace.size());
    for (const auto& row : trace) {
      samples.push_back(static_cast<float>(row[component]));
    }
    const SacHeader header = sac_header(c, station, component, samples, origin);
    OutFile file(stem + "." + channel_name(c.model.grid.timestep, component) + ".sac");
    file.write(std::as_bytes(std::span(&header, 1)));
    file.write(std::as_bytes(std::span(samples)));
    file.close();
  }
}

}  // namespace ondes3d
