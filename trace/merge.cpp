#include "trace/merge.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "trace/names.hpp"

namespace weft::trace {
namespace {

Clock clock_of(const ProcessTrace& part) {
  return {
      .host = part.host, .begin = part.begin, .end = part.end, .ticks_per_second = part.trace.header.ticks_per_second};
}

class TraceMerger {
 public:
  explicit TraceMerger(const ProcessTrace& first) {
    trace_.header.ticks_per_second =
        static_cast<std::uint64_t>(std::llround(ticks_per_nanosecond(clock_of(first)) * 1e9));
  }

  void add(std::uint32_t process, const ClockTranslation& clock, Trace part) {
    std::vector<std::uint32_t> names;
    for (const std::string& name : part.names) {
      names.push_back(names_.intern(name));
    }
    for (std::vector<Event>& events : part.workers) {
      translate(clock, names, events);
      trace_.workers.push_back(std::move(events));
      trace_.process_of.push_back(process);
    }
    translate(clock, names, part.job);
    trace_.job.insert(trace_.job.end(), part.job.begin(), part.job.end());
  }

  Trace result() && {
    std::stable_sort(trace_.job.begin(), trace_.job.end(),
                     [](const Event& a, const Event& b) { return a.time < b.time; });
    trace_.names = names_.texts();
    trace_.header.workers = static_cast<std::uint32_t>(trace_.workers.size());
    return std::move(trace_);
  }

 private:
  static void translate(const ClockTranslation& clock, const std::vector<std::uint32_t>& names,
                        std::vector<Event>& events) {
    for (Event& event : events) {
      event.time = clock.time(event.time);
      event.name = event.name < names.size() ? names[event.name] : 0;
      if (event.kind == EventKind::run || event.kind == EventKind::span) {
        event.value = clock.duration(event.value);
      }
    }
  }

  Trace trace_;
  Names names_;
};

}  // namespace

Trace merge(std::vector<ProcessTrace> parts) {
  base::check(!parts.empty(), "a trace has a process");
  TraceMerger merger(parts.front());
  std::vector<ClockTranslation> clocks;
  for (const ProcessTrace& part : parts) {
    clocks.emplace_back(clock_of(parts.front()), clock_of(part));
  }
  for (std::uint32_t process = 0; process < parts.size(); ++process) {
    merger.add(process, clocks[process], std::move(parts[process].trace));
  }
  return std::move(merger).result();
}

}  // namespace weft::trace
