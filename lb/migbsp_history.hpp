// The history of each rank's regularity that MigBSP's metrics need (Righi 2009, sections 4.6.1 and 4.6.2). The caller
// keeps Instance::patterns from call to call; the functions here have no state.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lb/strategy.hpp"

namespace weft::lb {

// MigBSP's Sets (4.3): sites if there are several, else hosts, else processes, else NUMA nodes.
struct Sets {
  std::vector<std::uint32_t> of_worker;
  std::vector<std::vector<std::uint32_t>> workers;
};
Sets sets_of(const Instance& instance);

// What a rank receives from a Set: bytes, and the seconds that these take over the links.
struct Received {
  double bytes = 0.0;
  double seconds = 0.0;
};
std::vector<std::vector<Received>> received(const Instance& instance, const Sets& sets);

struct MigbspMargins {
  double delta = 0.1;  // relative error of predicted work up to which a rank counts as regular
  double beta = 0.2;   // the same for bytes received
};

// Returns the patterns after one more superstep with the loads and edges of `superstep`. `first`: it is the first one
// since the last balancing step (t = k): predictions are reset, regularity is kept. `alpha`: supersteps between two
// steps. Patterns that do not fit the instance (none yet, another number of Sets) are reset.
std::vector<RankPattern> after_superstep(std::vector<RankPattern> patterns, const Instance& superstep, bool first,
                                         std::uint64_t alpha, const MigbspMargins& margins = {});

// What ranks did between two calls of MPI_Migrate, as a part of an LB interval.
struct Superstep {
  std::vector<double> seconds;  // by rank, as measured at home
  std::vector<Edge> edges;
};

// Whether a strategy of this name looks at Instance::patterns.
bool looks_at_patterns(std::string_view strategy);
// Applies after_superstep() to each superstep of an interval; `measured` is their sum.
std::vector<RankPattern> after_supersteps(std::vector<RankPattern> patterns, const Instance& measured,
                                          std::span<const Superstep> supersteps, std::uint64_t alpha,
                                          const MigbspMargins& margins = {});
// For each superstep, the times that inequalities 4.1 and 4.2 compare: for each worker its ranks and its share of the
// interval's background, which is spread evenly over the interval's `alpha` supersteps. `supersteps` are the last ones
// of these. The inequalities compare processes: if no worker has two ranks that take part in a superstep, workers
// without such a rank are left out.
std::vector<std::vector<double>> superstep_seconds(const Instance& measured, std::span<const Superstep> supersteps,
                                                   std::uint64_t alpha);

}  // namespace weft::lb
