// The clock that measures how much ranks compute (--load-clock): the time stamp counter, or an event that PAPI counts.
#pragma once

#include <string>
#include <string_view>

namespace weft::runtime {
inline namespace meter {

struct LoadClock {
  std::string event;           // PAPI's name; empty: the time stamp counter
  double ticks_per_count = 0;  // ticks of the time stamp counter for each count, as the probe has measured them
  std::string text;            // which clock it is, and why not PAPI if that was tried
};

// `asked`: auto, tsc, papi (cycles) or papi:EVENT. An event is tried on the calling thread before it is chosen; auto
// chooses cycles only where a reading is cheap. Throws std::runtime_error if the name is unknown or the event does not
// work. To be called before other threads may map code, as the first Counter.
LoadClock choose_load_clock(std::string_view asked);

}  // namespace meter
}  // namespace weft::runtime
