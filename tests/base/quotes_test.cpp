#include "base/quotes.hpp"

#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace weft::base {
namespace {

std::string said_by_the_shell(const std::string& line) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> shell(::popen(line.c_str(), "r"), ::pclose);
  std::string said;
  std::array<char, 64> part{};
  while (shell != nullptr && std::fgets(part.data(), part.size(), shell.get()) != nullptr) {
    said += part.data();
  }
  return said;
}

TEST(Quotes, AroundAWordOfAMessage) { EXPECT_EQ(in_quotes("--what"), "'--what'"); }

TEST(Quotes, AShellTakesAnyTextAsOneWord) {
  const std::string text = "a 'word' with \"$HOME\" `id` \\ and ; *";
  EXPECT_EQ(said_by_the_shell("printf '<%s>' " + shell_word(text)), "<" + text + ">");
  EXPECT_EQ(said_by_the_shell("printf '<%s>' " + shell_word("")), "<>");
}

}  // namespace
}  // namespace weft::base
