#include "runtime/bootstrap/start_watch.hpp"

#include <gtest/gtest.h>

namespace weft::bootstrap {
namespace {

// A job that goes on from an image may copy it to other hosts first, for any time.
TEST(StartWatch, CountsFromTheStartOfTheProcesses) {
  StartWatch watch(1, "ssh");
  EXPECT_EQ(watch.due(), StartWatch::Clock::time_point::max());
  const auto before = StartWatch::Clock::now();
  watch.begin();
  EXPECT_GE(watch.due(), before + std::chrono::seconds(1));
  EXPECT_LT(watch.due(), StartWatch::Clock::time_point::max());
}

}  // namespace
}  // namespace weft::bootstrap
