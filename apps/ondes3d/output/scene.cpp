#include "output/scene.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace ondes3d {
namespace {

constexpr long long kMostNodes = 16'000;    // along an axis, as of a case
constexpr long long kMostOthers = 1 << 24;  // steps, stations, moments

// Reads the words of the head and then the values; says what was found where something else was expected.
class SceneReader {
 public:
  explicit SceneReader(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    if (!file_) {
      throw std::runtime_error(path + ": there is no such file; ondes3d writes it into the folder of its results");
    }
  }

  // Begins the next line, which must have this name.
  void expect(const std::string& name) {
    std::string line;
    std::getline(file_, line);
    line_ = std::istringstream(line);
    std::string found;
    line_ >> found;
    if (found != name) {
      fail("a line \"" + name + "\"");
    }
  }
  double number() {
    double value = 0;
    if (!(line_ >> value) || !std::isfinite(value)) {
      fail("a number");
    }
    return value;
  }
  int count(long long least, long long most) {
    long long value = 0;
    if (!(line_ >> value) || value < least || value > most) {
      fail("a number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return static_cast<int>(value);
  }
  std::string word() {
    std::string text;
    line_ >> text;
    return text;
  }
  Vec3 vector() {
    Vec3 v{};
    for (double& value : v) {
      value = number();
    }
    return v;
  }
  // Refuses, before anything is allocated, a file that does not end with so many values.
  void expect_values(std::uint64_t values) {
    const auto here = static_cast<std::uint64_t>(file_.tellg());
    if (std::filesystem::file_size(path_) != here + values * sizeof(float)) {
      fail(std::to_string(values) + " values at its end");
    }
  }
  std::vector<float> values(std::size_t size) {
    std::vector<float> list(size);
    file_.read(reinterpret_cast<char*>(list.data()), static_cast<std::streamsize>(size * sizeof(float)));
    for (const float value : list) {
      if (!std::isfinite(value)) {
        fail("finite values");
      }
    }
    return list;
  }
  [[noreturn]] void fail(const std::string& expected) const {
    throw std::runtime_error(path_ + ": is not a whole file of ondes3d for pictures: expected " + expected);
  }

 private:
  std::string path_;
  std::ifstream file_;
  std::istringstream line_;
};

PlaneResult read_plane(SceneReader& in) {
  PlaneResult result;
  in.expect("plane");
  result.plane.name = in.word();
  result.plane.axis = in.count(0, 2);
  for (int& first : result.plane.lattice.first) {
    first = in.count(0, kMostNodes);
  }
  for (int& nodes : result.plane.lattice.count) {
    nodes = in.count(1, kMostNodes);
  }
  if (result.plane.lattice.count[static_cast<std::size_t>(result.plane.axis)] != 1 ||
      result.plane.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") != std::string::npos) {
    in.fail("a plane");
  }
  for (int left = in.count(0, kMostOthers); left > 0; --left) {
    result.snapshots.push_back({in.number(), {}});
  }
  return result;
}

// Returns the samples of each trace.
std::size_t read_stations(SceneReader& in, Scene& scene) {
  in.expect("stations");
  int left = in.count(0, kMostOthers);
  const auto samples = static_cast<std::size_t>(in.count(0, kMostOthers));
  for (; left > 0; --left) {
    in.expect("station");
    SceneStation& station = scene.stations.emplace_back();
    station.position = in.vector();
    station.p = in.number();
    station.s = in.number();
    station.name = in.word();
  }
  return samples;
}

Scene read_head(SceneReader& in) {
  Scene scene;
  in.expect("ondes3d-pictures");
  if (in.count(1, 1) != 1 || in.word() != kByteOrder) {
    in.fail(std::string("the byte order ") + kByteOrder);
  }
  in.expect("cells");
  for (int& cells : scene.grid.cells) {
    cells = in.count(1, kMostNodes);
  }
  scene.grid.cpml = in.count(0, kMostNodes);
  in.expect("grid");
  scene.grid.spacing = in.number();
  scene.grid.timestep = in.number();
  if (!(scene.grid.spacing > 0) || !(scene.grid.timestep > 0)) {
    in.fail("a grid");
  }
  scene.grid.steps = in.count(1, std::numeric_limits<int>::max());
  scene.grid.corner = in.vector();
  in.expect("hypocentre");
  scene.hypocentre = in.vector();
  in.expect("panels");
  scene.panels = in.count(0, kMostOthers);
  in.expect("roofs");
  for (int left = in.count(0, kMostNodes); left > 0; --left) {
    scene.roofs.push_back(in.number());
  }
  return scene;
}

}  // namespace

Scene read_scene(const std::string& path) {
  SceneReader in(path);
  Scene scene = read_head(in);
  const std::size_t samples = read_stations(in, scene);
  in.expect("planes");
  scene.planes.resize(static_cast<std::size_t>(in.count(0, 16)));
  std::uint64_t values = 3 * std::uint64_t{scene.stations.size()} * samples;
  for (PlaneResult& result : scene.planes) {
    result = read_plane(in);
    values += result.plane.lattice.box().volume() * (1 + result.snapshots.size());
  }
  in.expect("values");
  in.expect_values(values);
  scene.traces.assign(scene.stations.size(), Trace(samples));
  for (Trace& trace : scene.traces) {
    const std::vector<float> rows = in.values(3 * trace.size());
    for (std::size_t n = 0; n < trace.size(); ++n) {
      trace[n] = {rows[3 * n], rows[3 * n + 1], rows[3 * n + 2]};
    }
  }
  for (PlaneResult& result : scene.planes) {
    const std::size_t nodes = result.plane.lattice.box().volume();
    const std::vector<float> peak = in.values(nodes);
    result.peak.assign(peak.begin(), peak.end());
    for (auto& snapshot : result.snapshots) {
      snapshot.up = in.values(nodes);
    }
  }
  return scene;
}

}  // namespace ondes3d
