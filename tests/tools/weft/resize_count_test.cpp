// The numbers of processes that weft resize takes.
#include "tools/weft/resize_count.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace weft::tools::weft_tool {
namespace {

TEST(ResizedCount, IsANumberOrADifference) {
  EXPECT_EQ(resized_count("3", 4), 3U);
  EXPECT_EQ(resized_count("+2", 4), 6U);
  EXPECT_EQ(resized_count("-3", 4), 1U);
  EXPECT_EQ(resized_count("+0", 4), 4U);
}

TEST(ResizedCount, IsAtLeastOneAndNotBeyondAnyMachine) {
  EXPECT_EQ(resized_count("100000", 4), 100'000U);
  for (const char* const text : {"0", "-4", "-5", "100001", "+99997"}) {
    EXPECT_THROW(resized_count(text, 4), std::runtime_error) << text;
  }
}

TEST(ResizedCount, IsNothingElse) {
  for (const char* const text : {"", "+", "-", "++1", "+-1", "3x", "three", " 3", "5000000000", "+host:2", "0x3"}) {
    EXPECT_THROW(resized_count(text, 4), std::runtime_error) << text;
  }
}

}  // namespace
}  // namespace weft::tools::weft_tool
