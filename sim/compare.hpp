// Results beside each other: those of weftsim run and sweep, and of real runs in the same form.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::sim {

class CompareError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct NamedText {
  std::string name;  // of the file
  std::string text;  // JSON: of weftsim run --json or of weftsim sweep --json
};

// The first file is the reference, a real run, say; what stands in the others is given with its error. Of runs:
// makespan, imbalance, and how far the workers' loads from one call of MPI_Migrate to the next are off. Of sweeps: the
// makespan of each setting that all have, and how well the order of settings agrees. Throws CompareError, in one line.
std::string compare(std::span<const NamedText> files);

// Root of the mean square difference over the mean of the reference. REQUIRES: as many of both, and some.
double nrmse(std::span<const double> reference, std::span<const double> values);

// Of pairs whose reference values differ by more than both spreads: those in the same order less those in the opposite
// one, over all of them (Kendall's tau), and how many there are. Without pairs tau is 0.
struct Order {
  double tau = 0.0;
  std::size_t pairs = 0;
};
Order order_of(std::span<const double> reference, std::span<const double> spreads, std::span<const double> values);

}  // namespace weft::sim
