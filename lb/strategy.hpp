// A balancer is a pure function from measured loads to a plan: no clock, no network, no runtime.
// The runtime and the simulator call the same code, which is what makes tuning in simulation honest.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.hpp"

namespace weft::lb {

struct RankLoad {
  RankId rank{};
  WorkerId home{};
  double seconds = 0.0;     // since the last balancing step
  std::uint64_t bytes = 0;  // to move, when it leaves its process
  bool may_move = true;
};

// Where a worker is in the machine. Two workers are in the same process, host or NUMA node when the numbers are equal.
struct Place {
  std::uint32_t numa = 0;
  std::uint32_t process = 0;
  std::uint32_t host = 0;
};

struct WorkerLoad {
  double speed = 1.0;               // relative
  double background_seconds = 0.0;  // load that is not the job's
  Place place;
};

// What ranks[from] sent to ranks[to] since the last balancing step.
struct Edge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct Instance {
  std::vector<RankLoad> ranks;
  std::vector<WorkerLoad> workers;
  std::vector<Edge> edges;  // each pair at most once
};

// plan[i] is the new home of instance.ranks[i].
using Plan = std::vector<WorkerId>;

class Strategy {
 public:
  virtual ~Strategy() = default;
  [[nodiscard]] virtual Plan solve(const Instance& instance) const = 0;
  // Whether it looks at Instance::edges, which cost something to count.
  [[nodiscard]] virtual bool wants_edges() const { return false; }
};

// One row of the table that help and options come from.
struct StrategyInfo {
  std::string_view name;
  std::string_view argument;                                     // as help shows it; empty: takes none
  std::string_view help;                                         // one line: what it does, when to use it
  std::string_view source;                                       // one line: paper or program
  std::unique_ptr<Strategy> (*make)(std::string_view argument);  // throws base::OptionError
};

std::span<const StrategyInfo> strategies();
// "greedy", "refine:1.10", "hierarchical:hwtopo/refine". Throws base::OptionError, in one line, with the nearest name.
std::unique_ptr<Strategy> make_strategy(std::string_view text);

}  // namespace weft::lb
