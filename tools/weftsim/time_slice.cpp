#include "tools/weftsim/time_slice.hpp"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace weft::tools::weftsim {
namespace {

using Clock = std::chrono::steady_clock;

// Interrupts are shorter, time slices longer.
constexpr double kShortestAbsence = 0.5e-3;  // seconds
constexpr double kLongest = 20.0;            // seconds that measuring may take

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

void stay_on_last_core() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0) {
    return;
  }
  int last = 0;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    last = CPU_ISSET(core, &mine) ? core : last;
  }
  CPU_ZERO(&mine);
  CPU_SET(last, &mine);
  ::sched_setaffinity(0, sizeof mine, &mine);
}

// Measures how long the calling thread has its core each time, for so many slices; the first one does not count. Then
// computes until `measuring`, the number of threads that still measure, is 0.
std::vector<double> measure(std::size_t slices, std::atomic<int>& measuring) {
  stay_on_last_core();
  std::vector<double> lengths;
  bool is_first = true;
  const Clock::time_point begin = Clock::now();
  Clock::time_point start = begin;
  for (Clock::time_point last = begin; measuring > 0 && seconds_between(begin, last) < kLongest;) {
    const Clock::time_point now = Clock::now();
    if (seconds_between(last, now) >= kShortestAbsence) {
      const double length = seconds_between(std::exchange(start, now), last);
      if (!std::exchange(is_first, false) && lengths.size() < slices) {
        lengths.push_back(length);
        if (lengths.size() == slices) {
          --measuring;
        }
      }
    }
    last = now;
  }
  return lengths;
}

}  // namespace

sim::Figure time_slice(std::size_t slices) {
  std::vector<double> first;
  std::vector<double> second;
  std::atomic<int> measuring = 2;
  {
    const std::jthread one([&] { first = measure(slices, measuring); });
    const std::jthread other([&] { second = measure(slices, measuring); });
  }
  if (measuring > 0) {
    return {};
  }
  first.insert(first.end(), second.begin(), second.end());
  return sim::figure_of(std::move(first));
}

}  // namespace weft::tools::weftsim
