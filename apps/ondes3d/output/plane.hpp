// The planes that a run looks at: the ground, and those that i0 j0 k0 of the parameters name.
#pragma once

#include <string>
#include <vector>

#include "input/case.hpp"
#include "output/lattice.hpp"

namespace ondes3d {

struct Plane {
  std::string name;  // of its files: ground, west-east, south-north, level
  int axis = 2;      // across it
  Lattice lattice;

  // The peak of a plane counts what moves along the ground; below, all of the motion.
  [[nodiscard]] bool is_ground() const { return name == "ground"; }
  // "peak-velocity" for the ground, "peak-velocity-west-east" and so on for others.
  [[nodiscard]] std::string file_stem(const std::string& what) const { return is_ground() ? what : what + "-" + name; }
};

// The ground, the vertical planes y = j0 (west-east) and x = i0 (south-north), and the level z = k0 when that is not
// the ground.
[[nodiscard]] std::vector<Plane> planes_of(const Case& c);

// What a plane showed; x fastest, then y, then z, of the plane's lattice.
struct PlaneResult {
  struct Snapshot {
    double time = 0;        // s
    std::vector<float> up;  // velocity upwards, m/s
  };
  Plane plane;
  std::vector<double> peak;  // largest speed so far, m/s: horizontal at the ground, of all components elsewhere
  std::vector<Snapshot> snapshots;
};

}  // namespace ondes3d
