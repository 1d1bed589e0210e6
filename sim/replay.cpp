#include "sim/replay.hpp"

#include <algorithm>
#include <cstddef>

#include "sim/interpreter.hpp"

namespace weft::sim {

std::vector<std::uint32_t> block_homes(std::uint32_t ranks, std::uint32_t workers) {
  std::vector<std::uint32_t> homes(ranks);
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    const auto first = static_cast<std::size_t>(std::uint64_t{ranks} * worker / workers);
    const auto end = static_cast<std::size_t>(std::uint64_t{ranks} * (worker + 1) / workers);
    std::fill(homes.begin() + static_cast<std::ptrdiff_t>(first), homes.begin() + static_cast<std::ptrdiff_t>(end),
              worker);
  }
  return homes;
}

std::vector<std::uint32_t> round_robin_homes(std::uint32_t ranks, std::uint32_t workers) {
  std::vector<std::uint32_t> homes(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    homes[rank] = rank % workers;
  }
  return homes;
}

ReplayResult replay(const Workload& workload, const Platform& platform, const ReplayOptions& options) {
  check_workload(workload);
  return Interpreter(workload, platform, options).run();
}

}  // namespace weft::sim
