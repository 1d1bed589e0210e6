// How regular each rank is: the history that MigBSP's metrics need (Righi 2009, sections 4.6.1 and 4.6.2). The caller
// keeps Instance::patterns from call to call; everything here is a function of what it is given.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lb/strategy.hpp"

namespace weft::lb {

// MigBSP's Sets (4.3): sites where there are several, else hosts, else processes, else NUMA nodes.
struct Sets {
  std::vector<std::uint32_t> of_worker;
  std::vector<std::vector<std::uint32_t>> workers;
};
Sets sets_of(const Instance& instance);

// Bytes, and seconds over the links between, that each rank receives from each Set.
struct Received {
  double bytes = 0.0;
  double seconds = 0.0;
};
std::vector<std::vector<Received>> received(const Instance& instance, const Sets& sets);

struct MigbspMargins {
  double delta = 0.1;  // of work, for a rank to count as regular
  double beta = 0.2;   // of bytes received
};

// The patterns after one more superstep, whose loads and edges `superstep` holds. `first`: it is the first since the
// last balancing step (t = k), where predictions begin anew; regularity lasts. `alpha`: supersteps between two steps.
// Patterns that do not fit the instance (none yet, another number of Sets) are begun anew.
std::vector<RankPattern> after_superstep(std::vector<RankPattern> patterns, const Instance& superstep, bool first,
                                         std::uint64_t alpha, const MigbspMargins& margins = {});

// One call of MPI_Migrate's time, of an interval of several.
struct Superstep {
  std::vector<double> seconds;  // by rank, as measured at home
  std::vector<Edge> edges;
};

// Whether a strategy of this name looks at Instance::patterns.
bool looks_at_patterns(std::string_view strategy);
// after_superstep() for each of an interval's, which `measured` is the sum of.
std::vector<RankPattern> after_supersteps(std::vector<RankPattern> patterns, const Instance& measured,
                                          std::span<const Superstep> supersteps, std::uint64_t alpha,
                                          const MigbspMargins& margins = {});
// By superstep, the times that inequalities 4.1 and 4.2 compare: of each worker the ranks at home, and the background
// of the interval, spread evenly over its `alpha` supersteps, of which `supersteps` are the last. The inequalities
// compare processes: while no worker has two ranks that take part in the superstep, workers without one are left out.
std::vector<std::vector<double>> superstep_seconds(const Instance& measured, std::span<const Superstep> supersteps,
                                                   std::uint64_t alpha);

}  // namespace weft::lb
