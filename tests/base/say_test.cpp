#include "base/say.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>

namespace weft::base {
namespace {

using std::chrono::steady_clock;

// The signal ends the wait for room in the pipe, which nobody reads. Writing all the same would wait for the next
// signal.
TEST(Say, GivesUpInTimeAlsoWhereASignalInterruptsIt) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK), 0);
  const std::array<char, 4096> page{};
  while (::write(ends[1], page.data(), page.size()) > 0) {
  }
  ASSERT_EQ(::fcntl(ends[1], F_SETFL, 0), 0);
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGALRM, &ignore, &before), 0);
  const itimerval alarms{.it_interval = {5, 0}, .it_value = {0, 10'000}};
  ASSERT_EQ(::setitimer(ITIMER_REAL, &alarms, nullptr), 0);
  const auto began = steady_clock::now();
  say("text", ends[1], std::chrono::milliseconds(100));
  EXPECT_LT(steady_clock::now() - began, std::chrono::seconds(4));
  const itimerval none{};
  ASSERT_EQ(::setitimer(ITIMER_REAL, &none, nullptr), 0);
  ASSERT_EQ(::sigaction(SIGALRM, &before, nullptr), 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace weft::base
