// A strategy is a pure function from measured loads to a plan: no clock, no network, no runtime. The runtime and the
// simulator call the same code, so that settings tuned in simulation are valid for the runtime.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "lb/distance.hpp"

namespace weft::lb {

struct RankLoad {
  RankId rank{};
  WorkerId home{};
  double seconds = 0.0;     // since the last balancing step
  std::uint64_t bytes = 0;  // to move, when it leaves its process
  bool may_move = true;
};

// The location of a worker in the machine. Two workers are in the same process, host or NUMA node if the numbers are
// equal. Sites group hosts; the runtime has one site.
struct Place {
  std::uint32_t numa = 0;
  std::uint32_t process = 0;
  std::uint32_t host = 0;
  std::uint32_t site = 0;
};

struct WorkerLoad {
  double speed = 1.0;               // relative
  double background_seconds = 0.0;  // load that is not the job's
  Place place;
};

// The messages that ranks[from] sent to ranks[to] since the last balancing step.
struct Edge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct Link {
  double seconds_per_message = 0.0;
  double seconds_per_byte = 0.0;
};

// By Distance. Within a process as measured (bench/README.md); the others are those of common networks.
using Links = std::array<Link, 5>;
constexpr Links kDefaultLinks = {Link{0.08e-6, 0.01e-9}, Link{0.15e-6, 0.02e-9}, Link{0.3e-6, 0.04e-9},
                                 Link{1e-6, 0.2e-9}, Link{20e-6, 1e-9}};

// For MigBSP (migbsp_history.hpp): how regular a rank was over the last intervals, and its predicted behaviour.
struct SetPattern {
  double regularity = 1.0;         // P_comm: from 0 to 1
  double predicted_bytes = 0.0;    // PB: what the rank receives from the Set
  double predicted_seconds = 0.0;  // BTP
};
struct RankPattern {
  double regularity = 1.0;         // P_comp: from 0 to 1
  double predicted_work = 0.0;     // PI
  double predicted_seconds = 0.0;  // CTP
  std::vector<SetPattern> sets;
};

struct Instance {
  std::vector<RankLoad> ranks;
  std::vector<WorkerLoad> workers;
  std::vector<Edge> edges;  // each pair at most once
  Links links = kDefaultLinks;
  double seconds_per_move = 5e-6;        // of a rank, besides its bytes
  double seconds_per_moved_byte = 1e-9;  // of a rank that leaves its process
  std::vector<RankPattern> patterns;     // by rank; empty: not known
};

// plan[i] is the new home of instance.ranks[i].
using Plan = std::vector<WorkerId>;

// Constant after construction: several threads may call it at the same time.
class Strategy {
 public:
  virtual ~Strategy() = default;
  [[nodiscard]] virtual Plan solve(const Instance& instance) const = 0;
  // Whether it uses Instance::edges, which are costly to count.
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
// "greedy", "refine:1.10", "hierarchical:hwtopo/refine". Throws base::OptionError, one line, with the most similar
// name.
std::unique_ptr<Strategy> make_strategy(std::string_view text);

}  // namespace weft::lb
