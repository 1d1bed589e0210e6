// For what is measured on a machine that others use too.
#pragma once

#include <cmath>
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

// What is wrong with a measurement; empty: it is as expected.
inline std::string off(const char* what, double measured, double expected, double tolerance) {
  return std::abs(measured - expected) <= tolerance
             ? std::string()
             : fmt::format("{} is {}, not within {} of {}; ", what, measured, tolerance, expected);
}

}  // namespace weft::runtime
