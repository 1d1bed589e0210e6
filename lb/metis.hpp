// The graph of messages, partitioned by METIS (Karypis, Kumar, "A fast and high quality multilevel scheme for
// partitioning irregular graphs", SIAM J. Sci. Comput. 20, 1998), with the price of moving ranks in the manner of
// Schloegel, Karypis, Kumar, "A unified algorithm for load-balancing adaptive scientific simulations" (SC 2000).
#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

// Two plans are made, and the cheaper is taken: `intervals` times what the worker that finishes last takes for its
// ranks and their messages over the links between them, and what the moves take.
// - From scratch: the ranks are divided among hosts, those of each among its processes, NUMA nodes and workers, each
//   time by METIS; parts get the places where most of what would have to move, and of the ranks they talk to that may
//   not move, is already (greedily, as in PLUM: Oliker, Biswas 1998). hwtopo evens out what METIS has left.
// - By diffusion: hwtopo from where ranks are.
// What may not move counts as its worker's background when work is divided.
class Metis final : public Strategy {
 public:
  // `intervals`: as long as the last, for so many a plan is expected to last.
  explicit Metis(std::uint64_t intervals = 100) : intervals_(intervals) {}
  [[nodiscard]] Plan solve(const Instance& instance) const override;
  [[nodiscard]] bool wants_edges() const override { return true; }

 private:
  std::uint64_t intervals_;
};

// The plan from scratch, as METIS and the places of its parts have it: each within 5 % of its share of the work.
Plan partitioned(const Instance& instance);

// Seconds of the worker that finishes last: background, ranks, messages; then of all moves.
double seconds_with_messages(const Instance& instance, const Plan& plan);
double seconds_of_moves(const Instance& instance, const Plan& plan);

}  // namespace weft::lb
