#include "trace/merge.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/check.hpp"

namespace weft::trace {
namespace {

// Shorter runs tell less of the counter's rate than the process knew when it began.
constexpr std::int64_t kLongEnough = 50'000'000;  // nanoseconds

double ticks_per_nanosecond(const Part& part) {
  const std::int64_t span = part.end.nanoseconds - part.begin.nanoseconds;
  if (span < kLongEnough || part.end.ticks <= part.begin.ticks) {
    return static_cast<double>(part.trace.header.ticks_per_second) * 1e-9;
  }
  return static_cast<double>(part.end.ticks - part.begin.ticks) / static_cast<double>(span);
}

// A process's ticks in those of the first process.
class Translation {
 public:
  Translation(const Part& first, const Part& part)
      : same_(part.host == first.host),
        from_(part.begin.ticks),
        rate_(ticks_per_nanosecond(first) / ticks_per_nanosecond(part)),
        to_(static_cast<double>(first.begin.ticks) +
            static_cast<double>(part.begin.nanoseconds - first.begin.nanoseconds) * ticks_per_nanosecond(first)) {}

  std::uint64_t time(std::uint64_t ticks) const {
    if (same_) {
      return ticks;
    }
    const double since = static_cast<double>(static_cast<std::int64_t>(ticks - from_));
    return static_cast<std::uint64_t>(std::max(0.0, to_ + since * rate_));
  }
  std::int64_t duration(std::int64_t ticks) const {
    return same_ ? ticks : static_cast<std::int64_t>(static_cast<double>(ticks) * rate_);
  }

 private:
  bool same_;
  std::uint64_t from_;
  double rate_;
  double to_;
};

class Merging {
 public:
  explicit Merging(const Part& first) {
    trace_.header.ticks_per_second = static_cast<std::uint64_t>(ticks_per_nanosecond(first) * 1e9 + 0.5);
  }

  void add(std::uint32_t process, const Translation& clock, Trace part) {
    std::vector<std::uint32_t> names;
    for (std::string& name : part.names) {
      names.push_back(intern(std::move(name)));
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
    trace_.header.workers = static_cast<std::uint32_t>(trace_.workers.size());
    return std::move(trace_);
  }

 private:
  static void translate(const Translation& clock, const std::vector<std::uint32_t>& names, std::vector<Event>& events) {
    for (Event& event : events) {
      event.time = clock.time(event.time);
      event.name = event.name < names.size() ? names[event.name] : 0;
      if (event.kind == Kind::run || event.kind == Kind::span) {
        event.value = clock.duration(event.value);
      }
    }
  }

  std::uint32_t intern(std::string name) {
    const auto [place, is_new] = names_.try_emplace(std::move(name), static_cast<std::uint32_t>(names_.size()));
    if (is_new) {
      trace_.names.push_back(place->first);
    }
    return place->second;
  }

  Trace trace_;
  std::unordered_map<std::string, std::uint32_t> names_;
};

}  // namespace

Trace merge(std::vector<Part> parts) {
  base::check(!parts.empty(), "a trace has a process");
  Merging merging(parts.front());
  std::vector<Translation> clocks;
  for (const Part& part : parts) {
    clocks.emplace_back(parts.front(), part);
  }
  for (std::uint32_t process = 0; process < parts.size(); ++process) {
    merging.add(process, clocks[process], std::move(parts[process].trace));
  }
  return std::move(merging).result();
}

}  // namespace weft::trace
