// The clock that measures how much ranks compute (--load-clock): the time stamp counter, or an event that PAPI counts.
#pragma once

#include <string>
#include <string_view>

namespace weft::runtime {
inline namespace meter {

struct LoadClock {
  std::string event;           // of PAPI's; empty: the time stamp counter
  double ticks_per_count = 0;  // of the time stamp counter, while the probe computed
  std::string text;            // which it is, and why not PAPI where that was looked at
};

// `asked`: auto, tsc, papi (cycles) or papi:EVENT. An event is added, started and read on the calling thread before it
// is taken; auto takes cycles only where a reading is cheap. Throws std::runtime_error where a name is unknown or what
// is asked for does not work. As the first Counter: before other threads may map code.
LoadClock choose_load_clock(std::string_view asked);

}  // namespace meter
}  // namespace weft::runtime
