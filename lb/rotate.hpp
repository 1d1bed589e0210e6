// The strategy `rotate`, for tests.
#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

// Every rank that may move goes to the next worker, from the last worker to the first. For tests: everything moves.
class Rotate final : public Strategy {
 public:
  [[nodiscard]] Plan solve(const Instance& instance) const override;
};

}  // namespace weft::lb
