#include "base/printable.hpp"

#include <gtest/gtest.h>

namespace weft::base {
namespace {

TEST(Printable, LeavesTextsAsTheyAre) {
  for (const char* text : {"", "a b\tc\nd", "tränen, 鳥, \\x1b", "100 %"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, ShowsControlCharactersAsNumbers) {
  EXPECT_EQ(printable("a\x1b[2J\rb\x7f"), "a\\x1b[2J\\x0db\\x7f");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m\xc2\xa0\xc2"),
            "\\xc2\\x9b31m\xc2\xa0\xc2");
}

}  // namespace
}  // namespace weft::base
