// One subdomain and its part of a time step, divided where data of its neighbours are needed.
#pragma once

#include <memory>
#include <vector>

#include "physics/cpml.hpp"
#include "physics/kernels.hpp"
#include "physics/source.hpp"

namespace ondes3d {

// Levels of a subdomain that reaches the ground: the free surface mirrors two below it.
inline constexpr int kLeastLevels = 3;

// Everything of a run that all subdomains share.
struct Model {
  Grid grid;
  Layers layers;
  CpmlSettings cpml;
  std::shared_ptr<const Geology> geology;  // where it is set, the layers are but its column under the hypocentre
};

[[nodiscard]] bool attenuates(const Model& model);

// Fastest P wave, of the unrelaxed moduli, and slowest wave of the model, m/s.
[[nodiscard]] Speeds speeds(const Model& model);

// Cells of a subdomain whose velocities need no stress of a neighbour; along x in whole vectors. None where rows are
// short: what is left at their ends is a stride that no prefetcher follows, and costs more than is gained. Counted from
// the subdomain's first cell.
[[nodiscard]] Box inner_cells(const Grid& grid, const Box& own);

// Parts of a time, 0 to 1, that went to each macro kernel.
struct KernelShares {
  double intermediates = 0;
  double stress = 0;
  double velocity = 0;
};

// Owns a box of the grid that reaches from one side to the other or is cut anywhere, at least kLeastLevels levels high.
// A time step from t to t + dt is: stress(t), [exchange stresses], velocity(), [exchange velocities]; or, with the same
// bits, stress_and_inner_velocity(t), [exchange stresses], outer_velocity(), [exchange velocities]. Alone on the grid,
// the ghosts stay zero: a rigid wall behind the CPML.
template <typename Real>
class Subdomain {
 public:
  Subdomain(const Model& model, const Box& own, std::vector<Source> sources);

  // The macro kernels Stress and Velocity, each with its Intermediates.
  KernelShares stress(double time) { return climb(time, {}); }
  KernelShares velocity();

  // Stress and, two planes behind it while these are in the cache, Velocity of the cells that need no stress of a
  // neighbour: each field comes from memory once, not twice. Then Velocity of the others.
  KernelShares stress_and_inner_velocity(double time) { return climb(time, inner_); }
  KernelShares outer_velocity();

  // What changes with the cells; what does not grow with them stays where it lies.
  template <typename Puper>
  void pup(Puper& p) {
    state_.pup(p);
    rock_.pup(p);
    attenuation_.pup(p);
    for (Slab<Real>& slab : slabs_) {
      slab.pup(p);
    }
  }

  [[nodiscard]] const Box& own() const { return own_; }
  // True when its highest level is the ground.
  [[nodiscard]] bool has_ground() const { return has_ground_; }
  [[nodiscard]] const Rock<Real>& rock() const { return rock_; }
  [[nodiscard]] const Attenuation<Real>& attenuation() const { return attenuation_; }
  [[nodiscard]] State<Real>& state() { return state_; }
  [[nodiscard]] const State<Real>& state() const { return state_; }
  // Cells in absorbing slabs, those in two counted twice.
  [[nodiscard]] std::size_t slab_cells() const;

 private:
  class Laps;
  // Stress of all cells, and Velocity of those in `behind`, whose sides inside the grid keep away from the subdomain's.
  KernelShares climb(double time, const Box& behind);
  void stress_of(const Rows& rows, Laps& laps);
  void velocity_of(const Rows& rows, Laps& laps);

  Box own_;
  bool has_ground_;
  Box inner_;               // counted from own_.lo
  std::vector<Box> outer_;  // the rest
  Weights<Real> weights_;
  State<Real> state_;
  Rock<Real> rock_;
  Attenuation<Real> attenuation_;
  std::vector<Slab<Real>> slabs_;
  SourceTerm<Real> sources_;
};

extern template class Subdomain<float>;
extern template class Subdomain<double>;

}  // namespace ondes3d
