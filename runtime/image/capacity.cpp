#include "runtime/image/capacity.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "runtime/image/load_error.hpp"

namespace weft::image {
namespace {

constexpr std::uint64_t kReserve = 1000;  // threads' stacks, large allocations of ranks and runtime
constexpr std::uint64_t kDefaultLimit = 65530;

}  // namespace

Capacity capacity(std::uint64_t mappings_per_rank) {
  Capacity c;
  std::ifstream limit("/proc/sys/vm/max_map_count");
  if (!(limit >> c.limit)) {
    c.limit = kDefaultLimit;
  }
  std::ifstream maps("/proc/self/maps");
  c.used = static_cast<std::uint64_t>(
      std::count(std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>(), '\n'));
  const std::uint64_t taken = c.used + kReserve;
  c.ranks = c.limit > taken ? (c.limit - taken) / mappings_per_rank : 0;
  return c;
}

void check_capacity(std::uint64_t ranks, std::uint64_t mappings_per_rank) {
  const Capacity c = capacity(mappings_per_rank);
  if (ranks <= c.ranks) {
    return;
  }
  const std::uint64_t needed = c.used + kReserve + ranks * mappings_per_rank;
  throw LoadError(
      "this process can hold " + std::to_string(c.ranks) + " ranks, not " + std::to_string(ranks) + ": each needs " +
      std::to_string(mappings_per_rank) + " memory mappings and vm.max_map_count is " + std::to_string(c.limit) +
      "; use more processes (weftrun --processes), or raise it (sysctl vm.max_map_count=" + std::to_string(needed) +
      ")");
}

}  // namespace weft::image
