// Rock that differs from cell to cell: read from a file, sampled at the nodes of the grid.
#pragma once

#include <limits>

#include "physics/box.hpp"

namespace ondes3d {

struct Elastic {
  double rho = 0;     // kg/m^3; 0 is nothing at all: the air above the ground
  double lambda = 0;  // Pa
  double mu = 0;      // Pa; 0 is sea
};

// Speeds of all the rock of a geology, m/s.
struct Speeds {
  double fastest = 0;                                        // P
  double slowest = std::numeric_limits<double>::infinity();  // S, or P in the sea
};

// Quality factors of P and S; 0 is no loss.
struct Quality {
  double p = 0;
  double s = 0;
};

class Geology {
 public:
  Geology() = default;
  virtual ~Geology() = default;
  Geology(const Geology&) = delete;
  Geology& operator=(const Geology&) = delete;

  // The rock at a node of the grid; outside of what the file describes, that of the nearest place inside. A rank may
  // ask for the nodes that it owns and their upper neighbours along each axis.
  [[nodiscard]] virtual Elastic at(const Index3& node) const = 0;
  [[nodiscard]] virtual Speeds speeds() const = 0;

  // Where rock attenuates: the quality factors at a node, and the fastest speed of the unrelaxed moduli when speeds are
  // those at `reference` (Hz).
  [[nodiscard]] virtual bool attenuates() const { return false; }
  [[nodiscard]] virtual Quality quality(const Index3& /*node*/) const { return {}; }
  [[nodiscard]] virtual double fastest_unrelaxed(double /*reference*/) const { return speeds().fastest; }
};

}  // namespace ondes3d
