// The strategy `none`.
#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

// Every rank stays where it is.
class None final : public Strategy {
 public:
  [[nodiscard]] Plan solve(const Instance& instance) const override;
};

}  // namespace weft::lb
