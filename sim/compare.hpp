// Compares results of weftsim run and weftsim sweep with each other and with real runs in the same format.
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

// The first file is the reference, such as a real run; the other files' values are shown with their errors. For runs:
// makespan, imbalance, and the error of the workers' loads between calls of MPI_Migrate. For sweeps: the makespan of
// each setting that all files have, and how well the files agree in the order of settings. Throws CompareError, one
// line.
std::string compare(std::span<const NamedText> files);

// Root mean square difference divided by the mean of the reference. REQUIRES: equal, non-zero numbers of values.
double nrmse(std::span<const double> reference, std::span<const double> values);

// Kendall's tau over the pairs whose reference values differ by more than both spreads: pairs in the same order minus
// pairs in the opposite order, divided by the number of pairs. 0 without pairs.
struct KendallTau {
  double tau = 0.0;
  std::size_t pairs = 0;
};
KendallTau kendall_tau(std::span<const double> reference, std::span<const double> spreads,
                       std::span<const double> values);

}  // namespace weft::sim
