// Measures each rank's supersteps, from one call of MPI_Migrate to the next, for the strategy migbsp.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "pup/pup.hpp"
#include "runtime/p2p/traffic.hpp"

namespace weft::runtime {
inline namespace control {
class Rank;
}  // namespace control

inline namespace lbstep {

// What one rank has sent to another.
struct EdgeReport {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  void pup(pup::Puper& p) { p | from | to | messages | bytes; }
};

// One rank between two calls.
struct SuperstepReport {
  double seconds = 0;
  std::vector<EdgeReport> sent;
  void pup(pup::Puper& p) { p | seconds | sent; }
};

// The ranks of this process. Each entry belongs to its rank; while the rank is suspended in a balancing step, it
// belongs to the step.
class Supersteps {
 public:
  explicit Supersteps(std::uint32_t ranks) : ranks_(ranks) {}
  // The rank has come to a call. Called on its fibre.
  void end(Rank& me);
  // Returns and removes the supersteps since the last balancing step: the last 64 at most, since predictions halve the
  // weight of older ones at each step.
  std::vector<SuperstepReport> take(std::uint32_t rank);

 private:
  static constexpr std::size_t kMost = 64;
  struct One {
    std::uint64_t counted = 0;                              // cycles, at the last call
    std::unordered_map<std::uint32_t, Traffic::Sent> sent;  // by receiver, until the last call
    std::vector<SuperstepReport> done;
  };
  std::vector<One> ranks_;
};

}  // namespace lbstep
}  // namespace weft::runtime
