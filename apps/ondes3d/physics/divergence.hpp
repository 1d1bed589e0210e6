// Tells when waves have grown beyond what physics allows: an unstable scheme, or numbers that overflowed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "physics/source.hpp"
#include "physics/state.hpp"
#include "physics/subdomain.hpp"

namespace ondes3d {

// What all sources together can do.
struct SourceStrength {
  double moment = 0;     // N m: the sum of their integrals of |moment rate|
  double strongest = 0;  // N m: of the strongest one
  double end = 0;        // s: no source acts any more
};
[[nodiscard]] SourceStrength strength_of(const std::vector<Source>& sources);

// A speed (m/s) that no sound run reaches. The energy E of the waves grows by M'_ij e_ij <= |M'| sqrt(2 E / (mu h^3)),
// with all sources in one cell of size h, so that sqrt(E) <= integral |M'| dt / sqrt(2 mu h^3), and a cell that had all
// of it would move at moment / (h^3 rho beta). Ten times that, with the least rho beta of any rock.
[[nodiscard]] double speed_bound(const Model& model, const SourceStrength& strength);

// Once the sources are silent nothing feeds the waves: spreading lets them fall, focusing and soft ground let them
// rise somewhat. The peak may be so many times the one until then.
inline constexpr double kLaterGrowth = 100;

// Where a run ceased to be sound.
struct Finding {
  int step = 0;      // steps done
  Index3 node{};     // of the grid
  double speed = 0;  // m/s; not finite where it is not
};

// One subdomain's part. Looks after each step at one component of the velocity, in every fourth row of every fourth
// plane: what is not finite spreads by two cells per step, so that it is found one or two steps later, for 1 % of a
// sweep's bytes.
template <typename Real>
class Divergence {
 public:
  Divergence(const Box& own, double bound);

  // After step number `done`, from 1 on.
  void look(int done, const State<Real>& state);
  [[nodiscard]] const std::optional<Finding>& finding() const { return finding_; }
  // The largest sound speed seen.
  [[nodiscard]] double peak() const { return peak_; }
  // From now on no speed above this one is sound.
  void bound(double speed);

 private:
  Box own_;
  Real bound_ = 0;
  double peak_ = 0;
  std::optional<Finding> finding_;
};

extern template class Divergence<float>;
extern template class Divergence<double>;

// One line: what was found, and what probably caused it. `rock` is that of the place.
[[nodiscard]] std::string explain(const Finding& finding, const Elastic& rock, const Model& model,
                                  const SourceStrength& strength);

}  // namespace ondes3d
