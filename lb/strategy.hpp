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
  double seconds = 0.0;       // since the last balancing step
  std::uint64_t bytes = 0;    // to move, when it leaves its process
  bool may_move = true;
};

struct WorkerLoad {
  double speed = 1.0;               // relative
  double background_seconds = 0.0;  // load that is not the job's
};

struct Instance {
  std::vector<RankLoad> ranks;
  std::vector<WorkerLoad> workers;
};

// plan[i] is the new home of instance.ranks[i].
using Plan = std::vector<WorkerId>;

class Strategy {
 public:
  virtual ~Strategy() = default;
  [[nodiscard]] virtual Plan solve(const Instance& instance) const = 0;
};

// One row of the table that help and options come from.
struct StrategyInfo {
  std::string_view name;
  std::string_view help;  // one or two lines
  std::unique_ptr<Strategy> (*make)();
};

std::span<const StrategyInfo> strategies();
// Null when there is no strategy of that name.
std::unique_ptr<Strategy> make_strategy(std::string_view name);

}  // namespace weft::lb
