#include "base/duration.hpp"

#include <gtest/gtest.h>

namespace weft::base {
namespace {

TEST(Duration, HasAUnitOrIsOfSeconds) {
  EXPECT_EQ(parse_duration("30"), 30);
  EXPECT_EQ(parse_duration("0"), 0);
  EXPECT_EQ(parse_duration("2.5s"), 2.5);
  EXPECT_EQ(parse_duration("500ms"), 0.5);
  EXPECT_EQ(parse_duration("2m"), 120);
  EXPECT_EQ(parse_duration("1h"), 3600);
}

TEST(Duration, IsNothingElse) {
  for (const char* const text : {"", "s", "soon", "-1", "-1s", "30 s", "1d", "1sm", "nan", "inf", "1e10", "1e400"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace weft::base
