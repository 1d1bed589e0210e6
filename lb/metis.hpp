// The graph of messages, partitioned by METIS (Karypis, Kumar, "A fast and high quality multilevel scheme for
// partitioning irregular graphs", SIAM J. Sci. Comput. 20, 1998), with the price of moving ranks in the manner of
// Schloegel, Karypis, Kumar, "A unified algorithm for load-balancing adaptive scientific simulations" (SC 2000).
#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

// Makes two plans and takes the cheaper one. A plan's cost is `intervals` times the time of the worker that finishes
// last (ranks and their messages over the links), plus the time of the moves.
// - From scratch: METIS divides the ranks among hosts, then those of each host among its processes, NUMA nodes and
//   workers. Each part goes where most of its bytes and most of its immovable communication partners already are
//   (greedily, as in PLUM: Oliker, Biswas 1998). hwtopo then refines the result.
// - By diffusion: hwtopo from the present homes.
// Immovable ranks count as their worker's background when work is divided.
class Metis final : public Strategy {
 public:
  // `intervals`: the number of intervals, as long as the last one, for which a plan is expected to last.
  explicit Metis(std::uint64_t intervals = 100) : intervals_(intervals) {}
  [[nodiscard]] Plan solve(const Instance& instance) const override;
  [[nodiscard]] bool wants_edges() const override { return true; }

 private:
  std::uint64_t intervals_;
};

// The plan from scratch before hwtopo refines it: each part is within 5 % of its share of the work.
Plan partitioned(const Instance& instance);

// Seconds of the worker that finishes last, with background, ranks and messages; and seconds of all moves.
double seconds_with_messages(const Instance& instance, const Plan& plan);
double seconds_of_moves(const Instance& instance, const Plan& plan);

}  // namespace weft::lb
