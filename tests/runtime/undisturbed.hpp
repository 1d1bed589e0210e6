// For what is measured on a machine that others use too.
#pragma once

#include <cmath>
#include <ctime>
#include <functional>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace weft::runtime {

// Clocks are not read at one moment, and others, a hypervisor or a signal that stops the process may come between: one
// attempt must be without that. Each returns what was wrong, or nothing.
inline ::testing::AssertionResult undisturbed(int attempts, const std::function<std::string()>& attempt) {
  std::string wrong;
  for (int i = 0; i < attempts; ++i) {
    wrong = attempt();
    if (wrong.empty()) {
      return ::testing::AssertionSuccess();
    }
  }
  return ::testing::AssertionFailure() << "at last: " << wrong;
}

inline double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// What is wrong with a measurement; empty: it is as expected.
inline std::string off(const char* what, double measured, double expected, double tolerance) {
  return std::abs(measured - expected) <= tolerance
             ? std::string()
             : fmt::format("{} is {}, not within {} of {}; ", what, measured, tolerance, expected);
}

inline std::string at_least(const char* what, double measured, double least) {
  return measured >= least ? std::string() : fmt::format("{} is {}, less than {}; ", what, measured, least);
}

}  // namespace weft::runtime
