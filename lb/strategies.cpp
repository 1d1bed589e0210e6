// The table of strategies, by name.
#include <algorithm>
#include <array>

#include "lb/greedy.hpp"
#include "lb/none.hpp"
#include "lb/rotate.hpp"
#include "lb/strategy.hpp"

namespace weft::lb {
namespace {

template <typename S>
std::unique_ptr<Strategy> make() {
  return std::make_unique<S>();
}

constexpr std::array kStrategies = {
    StrategyInfo{"none", "No rank moves.", make<None>},
    StrategyInfo{"greedy", "Longest rank first onto the least loaded worker: best balance, most moves.", make<Greedy>},
    StrategyInfo{"rotate", "Every rank goes to the next worker: for tests, everything moves at every step.",
                 make<Rotate>},
};

}  // namespace

std::span<const StrategyInfo> strategies() { return kStrategies; }

std::unique_ptr<Strategy> make_strategy(std::string_view name) {
  const auto row =
      std::find_if(kStrategies.begin(), kStrategies.end(), [&](const auto& info) { return info.name == name; });
  return row == kStrategies.end() ? nullptr : row->make();
}

}  // namespace weft::lb
