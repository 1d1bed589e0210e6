// A tomography: speeds and density at the nodes of a coarse grid of its own, turned against the grid of the run.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "input/geology_file.hpp"
#include "physics/medium.hpp"

namespace ondes3d {

// How the tomography's axes lie in the grid of the run: its y axis points `theta` degrees east of North, its origin is
// at (x0, y0) km.
struct TomographyFrame {
  double x0 = 0;
  double y0 = 0;
  double theta = 0;

  // East, North, up (m) to the tomography's x, y and depth (km).
  [[nodiscard]] Vec3 turned(const Vec3& place) const;
};

struct TomographyNode {
  float vp = 0, vs = 0, rho = 0;  // m/s, kg/m^3
};

struct TomographyFile {
  TomographyFrame frame;
  std::array<std::vector<double>, 3> axes;  // x, y, depth of the nodes, km; each rises
  std::vector<TomographyNode> nodes;        // x fastest, then y, then depth downwards
  double qs_per_vs = 0;                     // quality factor of S per km/s; 0: no losses
};

// Reads rows of x y depth (km), vp vs (km/s), rho (g/cm3), x fastest; `count` nodes along each axis. Throws InputError.
[[nodiscard]] TomographyFile read_tomography(const std::string& path, const Index3& count);

// Linear between the nodes along each axis of the tomography; beyond them, the value at the border.
class Tomography final : public SharedGeology {
 public:
  Tomography(const Grid& grid, TomographyFile file);
  Tomography(const Grid& grid, PackedBytes& packed);

  [[nodiscard]] Elastic at(const Index3& node) const override;
  // Of the tomography's box that holds the domain.
  [[nodiscard]] Speeds speeds() const override;
  [[nodiscard]] bool attenuates() const override { return file_.qs_per_vs > 0; }
  [[nodiscard]] Quality quality(const Index3& node) const override;
  [[nodiscard]] double fastest_unrelaxed(double reference) const override;
  [[nodiscard]] double least_quality() const override;
  // All of it: it is small.
  [[nodiscard]] PackedBytes part(const Box& own) const override;
  [[nodiscard]] std::string describe() const override;

 private:
  // Calls body(value) where the extremes of the domain may lie.
  template <typename Body>
  void for_each_extreme(const Body& body) const;
  [[nodiscard]] TomographyNode at_node(const Index3& node) const;
  // At x, y and depth in km.
  [[nodiscard]] TomographyNode value(const Vec3& at) const;
  [[nodiscard]] const TomographyNode& node(std::size_t x, std::size_t y, std::size_t z) const {
    return file_.nodes[(z * file_.axes[1].size() + y) * file_.axes[0].size() + x];
  }
  Grid grid_;
  TomographyFile file_;
};

}  // namespace ondes3d
