// Exports traces for the viewers of Chrome and Perfetto.
#pragma once

#include <iosfwd>

#include "trace/event.hpp"

namespace weft::trace {

// Writes the JSON object format: a process "workers" with a track for each worker, which shows the ranks that ran
// there, and a process "ranks" with a track for each rank, which shows its calls; messages are arrows between ranks. A
// process "job" has the job's spans and counters.
// Times are microseconds since the first event. Throws Error when the stream fails.
void write_chrome(const Trace& trace, std::ostream& out);

}  // namespace weft::trace
