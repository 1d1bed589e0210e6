#include "base/printable.hpp"

#include <unistd.h>

#include <array>

#include <gtest/gtest.h>

#include "base/say.hpp"

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

TEST(Say, WritesNoControlCharacter) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const std::string text = "weft: a\x1b[2J\x1b, \xc2\x9b and\tb\n";
  say(text, ends[1]);
  say("\r", ends[1]);
  ::close(ends[1]);
  std::array<char, 200> bytes{};
  const ssize_t count = ::read(ends[0], bytes.data(), bytes.size());
  ::close(ends[0]);
  ASSERT_GT(count, 0);
  EXPECT_EQ(std::string(bytes.data(), static_cast<std::size_t>(count)), printable(text + "\r"));
}

}  // namespace
}  // namespace weft::base
