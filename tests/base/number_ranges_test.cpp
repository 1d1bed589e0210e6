#include "base/number_ranges.hpp"

#include <array>

#include <gtest/gtest.h>

namespace weft::base {
namespace {

TEST(NumberRanges, JoinNeighbours) {
  EXPECT_EQ(number_ranges({}), "");
  EXPECT_EQ(number_ranges(std::array{7U}), "7");
  EXPECT_EQ(number_ranges(std::array{0U, 1U, 2U, 3U, 7U}), "0-3,7");
  EXPECT_EQ(number_ranges(std::array{1U, 3U, 4U, 9U, 10U, 11U}), "1,3-4,9-11");
}

}  // namespace
}  // namespace weft::base
