// What weft resize and weft evacuate take.
#include "tools/weft/resize_question.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "base/host_name.hpp"

namespace weft::tools::weft_tool {
namespace {

using inspect::Change;

TEST(ResizeQuestion, IsANumberOrADifference) {
  for (const auto& [text, count] : {std::pair("3", 3U), {"+2", 6U}, {"-3", 1U}, {"+0", 4U}, {"100000", 100'000U}}) {
    const auto question = resize_question(text, 4);
    EXPECT_EQ(question.change, Change::count) << text;
    EXPECT_EQ(question.processes, count) << text;
    EXPECT_EQ(std::string(question.host.data()), "") << text;
  }
}

TEST(ResizeQuestion, OrProcessesOnAHost) {
  const auto question = resize_question("+node7:3", 4);
  EXPECT_EQ(question.change, Change::more_on_host);
  EXPECT_EQ(question.processes, 3U);
  EXPECT_EQ(std::string(question.host.data()), "node7");
  EXPECT_EQ(resize_question("+me@node7", 4).processes, 1U);
  EXPECT_EQ(std::string(resize_question("+me@node7", 4).host.data()), "me@node7");
  EXPECT_EQ(std::string(resize_question("+localhost", 4).host.data()), base::host_name());
}

TEST(ResizeQuestion, HasAtLeastOneProcessAndNotMoreThanAnyMachine) {
  for (const char* const text : {"0", "-4", "-5", "100001", "+99997", "+node7:99997", "+node7:0"}) {
    EXPECT_THROW(resize_question(text, 4), std::runtime_error) << text;
  }
}

TEST(ResizeQuestion, IsNothingElse) {
  for (const char* const text :
       {"", "+", "-", "++1", "+-1", "3x", "three", " 3", "5000000000", "0x3", "-host", "+a,b"}) {
    EXPECT_THROW(resize_question(text, 4), std::runtime_error) << text;
  }
}

TEST(EvacuateQuestion, NamesTheHostAsTheJobKnowsIt) {
  EXPECT_EQ(evacuate_question("node7").change, Change::leave_host);
  EXPECT_EQ(std::string(evacuate_question("localhost").host.data()), base::host_name());
  EXPECT_EQ(std::string(evacuate_question("[fe80::1]").host.data()), "fe80::1");
  EXPECT_THROW(evacuate_question(""), std::runtime_error);
  EXPECT_THROW(evacuate_question("a:2"), std::runtime_error);
  EXPECT_THROW(evacuate_question(std::string(1000, 'x')), std::runtime_error);
}

}  // namespace
}  // namespace weft::tools::weft_tool
