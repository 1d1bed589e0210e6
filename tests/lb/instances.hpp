// Instances for the tests of lb.
#pragma once

#include <cstdint>
#include <vector>

#include "lb/strategy.hpp"

namespace weft::lb {

// Ranks dealt out to the workers in turn.
inline Instance instance(const std::vector<double>& seconds, std::uint32_t workers) {
  Instance result;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    result.ranks.push_back(
        {RankId{static_cast<std::uint32_t>(i)}, WorkerId{static_cast<std::uint32_t>(i) % workers}, seconds[i]});
  }
  result.workers.resize(workers);
  return result;
}

using Numbers = std::vector<std::uint32_t>;

inline Numbers numbers(const Plan& plan) {
  Numbers result;
  for (const WorkerId worker : plan) {
    result.push_back(number(worker));
  }
  return result;
}

}  // namespace weft::lb
