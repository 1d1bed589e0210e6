#include "lb/links.hpp"

#include <gtest/gtest.h>

#include "base/options.hpp"

namespace weft::lb {
namespace {

TEST(Links, AreReadAsTheyAreWritten) {
  const std::string usual = "0.08:0.01,0.15:0.02,0.3:0.04,1:0.2,20:1";
  EXPECT_EQ(text_of(kDefaultLinks), usual);
  EXPECT_EQ(text_of(parse_links(usual)), usual);
  const Links links = parse_links("0:0,1:2,3:4,5:6,7:8e3");
  EXPECT_DOUBLE_EQ(links[4].seconds_per_message, 7e-6);
  EXPECT_DOUBLE_EQ(links[4].seconds_per_byte, 8e-6);
}

TEST(Links, OthersAreRefused) {
  for (const char* const text : {"", "fast", "1:1", "1:1,1:1,1:1,1:1", "1:1,1:1,1:1,1:1,1:1,1:1", "1:1,1:1,1:1,1:1,1",
                                 "1:1,1:1,1:1,1:1,-1:1", "1:1,1:1,1:1,1:1,1:x", "1:1,1:1,1:1,1:1,inf:1",
                                 "1:1,1:1,1:1,1:1,nan:1", "1:1,1:1,1:1,1:1,:1", "1:1,1:1,1:1,1:1,1:1 "}) {
    EXPECT_THROW(parse_links(text), base::OptionError) << text;
  }
}

}  // namespace
}  // namespace weft::lb
