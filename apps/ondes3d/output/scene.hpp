// What the pictures of a run show, in one file: ondes3d writes it, ondes3d-pictures reads it.
//
// pictures.dat begins with lines of text:
//   ondes3d-pictures 1 little               version, byte order of the values
//   cells NX NY NZ CPML                     of the grid, absorbing layers included, and their thickness
//   grid SPACING TIMESTEP STEPS X Y Z       m, s; place of node (0, 0, 0), m
//   hypocentre X Y Z                        m
//   panels N                                of the pictures of the wave field
//   roofs N Z...                            of the layers, m; none where each cell has its own rock
//   stations N SAMPLES                      followed by N lines
//   station X Y Z P S NAME                  m; arrival of the direct waves, s; -1: none
//   planes N                                followed by N lines
//   plane NAME AXIS I J K NI NJ NK N T...   first node, nodes along each axis, moments, their times in s
//   values
// and goes on with values of 4 bytes, m/s: of each station SAMPLES rows of East, North, up; of each plane the peak and
// then the velocity upwards at each moment, x fastest, then y, then z.
#pragma once

#include <bit>
#include <string>
#include <vector>

#include "output/plane.hpp"
#include "physics/recorder.hpp"

namespace ondes3d {

struct Recorded;

inline constexpr const char* kSceneFile = "pictures.dat";
inline constexpr const char* kByteOrder = std::endian::native == std::endian::little ? "little" : "big";
inline constexpr double kNoArrival = -1;

struct SceneStation {
  Vec3 position{};  // m
  std::string name;
  double p = kNoArrival, s = kNoArrival;  // arrivals, s
};

struct Scene {
  Grid grid;
  Vec3 hypocentre{};
  int panels = 0;             // of each picture of the wave field
  std::vector<double> roofs;  // z of the layers' tops, m
  std::vector<SceneStation> stations;
  std::vector<Trace> traces;  // as the stations
  std::vector<PlaneResult> planes;
};

// Throws std::runtime_error when the file cannot be written.
void write_scene(const std::string& path, const Recorded& recorded);

// Throws std::runtime_error, one line that names the file, when it is not there or not such a file.
[[nodiscard]] Scene read_scene(const std::string& path);

}  // namespace ondes3d
