#include "runtime/timeline/timeline.hpp"

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "pup/pup.hpp"
#include "runtime/meter/ticks.hpp"
#include "trace/chrome.hpp"
#include "trace/reader.hpp"
#include "trace/writer.hpp"

namespace weft::runtime {
namespace {

trace::Moment moment() {
  const auto day = std::chrono::system_clock::now().time_since_epoch();
  return {ticks(), std::chrono::duration_cast<std::chrono::nanoseconds>(day).count()};
}

// A process's part on its way.
struct PartText {
  std::uint32_t host = 0;
  trace::Moment begin;
  trace::Moment end;
  bool cut = false;
  std::string events;  // as trace::Writer has them
  void pup(pup::Puper& p) { p | host | begin.ticks | begin.nanoseconds | end.ticks | end.nanoseconds | cut | events; }
};

}  // namespace

Timeline::Timeline(std::uint32_t workers, std::uint32_t host, std::size_t most_bytes)
    : began_(moment()), host_(host), steps_(most_bytes) {
  for (std::uint32_t w = 0; w < workers; ++w) {
    recorders_.push_back(std::make_unique<Recorder>(most_bytes));
  }
}

void Timeline::step(const std::string& what, std::uint64_t begin, std::int64_t imbalance) {
  const std::lock_guard lock(mutex_);
  steps_.took(what, begin, ticks());
  steps_.counts("imbalance, % of the mean", imbalance);
}

std::vector<std::byte> Timeline::part() {
  PartText text{.host = host_, .begin = began_, .end = moment(), .cut = false, .events = {}};
  std::ostringstream events;
  trace::Writer writer(events, {.workers = static_cast<std::uint32_t>(recorders_.size()),
                                .ticks_per_second = static_cast<std::uint64_t>(ticks_per_second())});
  for (std::uint32_t w = 0; w < recorders_.size(); ++w) {
    text.cut = text.cut || recorders_[w]->full();
    writer.append(w, recorders_[w]->buffer());
  }
  const std::lock_guard lock(mutex_);
  text.cut = text.cut || steps_.full();
  writer.append_job(steps_.buffer());
  writer.finish();
  text.events = std::move(events).str();
  return pup::pack(text);
}

void Timeline::hear(ProcessId from, std::span<const std::byte> part) {
  PartText text;
  pup::unpack(part, text);
  std::istringstream events(std::move(text.events));
  trace::Part heard{.trace = trace::read(events), .host = text.host, .begin = text.begin, .end = text.end};
  const std::lock_guard lock(mutex_);
  if (parts_.size() <= number(from)) {
    parts_.resize(number(from) + 1);
  }
  parts_[number(from)] = std::move(heard);
  cut_ = cut_ || text.cut;
}

std::uint32_t Timeline::heard() const {
  const std::lock_guard lock(mutex_);
  std::uint32_t all = 0;
  for (const auto& part : parts_) {
    all += part ? 1 : 0;
  }
  return all;
}

void Timeline::write(const std::string& file) {
  std::vector<trace::Part> parts;
  bool cut = false;
  {
    const std::lock_guard lock(mutex_);
    for (auto& part : std::exchange(parts_, {})) {
      parts.push_back(std::move(*part));
    }
    cut = cut_;
  }
  std::ofstream out(file, std::ios::binary);
  try {
    trace::write_chrome(trace::merge(std::move(parts)), out);
    out.close();
  } catch (const trace::Error&) {
    out.setstate(std::ios::failbit);
  }
  if (!out) {
    std::fputs(fmt::format("weft: cannot write the trace {}: {}\n", file, std::strerror(errno)).c_str(), stderr);
  } else if (cut) {
    std::fputs(
        fmt::format("weft: the trace {} does not reach to the end: a worker's events filled --trace-memory\n", file)
            .c_str(),
        stderr);
  }
}

}  // namespace weft::runtime
