#include "runtime/timeline/timeline.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "base/checksum.hpp"
#include "base/host_name.hpp"
#include "base/say.hpp"
#include "pup/pup.hpp"
#include "runtime/meter/ticks.hpp"
#include "trace/chrome.hpp"
#include "trace/otf2/write.hpp"
#include "trace/reader.hpp"
#include "trace/writer.hpp"

namespace weft::runtime {
inline namespace timeline {
namespace {

trace::ClockReading moment() {
  const auto [ticks, day] = ticks_at<std::chrono::system_clock>();
  return {ticks, std::chrono::duration_cast<std::chrono::nanoseconds>(day.time_since_epoch()).count()};
}

// A process's part, as it is sent.
struct PartText {
  trace::Clock clock;
  std::string host_name;
  std::uint32_t workers = 0;
  bool is_truncated = false;
  std::string events;                // as trace::Writer writes them; empty if they are in files
  std::vector<std::uint64_t> bytes;  // of those files: the workers', then the job's
  std::vector<std::uint8_t> whole;
  std::vector<std::uint32_t> checksums;
  std::vector<WorkerCore> cores;
  void pup(pup::Puper& p) {
    p | clock.host | clock.begin.ticks | clock.begin.nanoseconds | clock.end.ticks | clock.end.nanoseconds |
        clock.ticks_per_second | host_name | workers | is_truncated | events | bytes | whole | checksums | cores;
  }
};

// All events of a process's files.
trace::ProcessTrace read_files(const trace::ProcessFiles& files) {
  trace::ProcessTrace part{.trace = {}, .host = files.clock.host, .begin = files.clock.begin, .end = files.clock.end};
  trace::Names names;
  const auto read = [&](const std::string& file, std::vector<trace::Event>& events) {
    trace::Source source(file, names);
    for (trace::Event event; source.next(event);) {
      events.push_back(event);
    }
  };
  for (const std::string& file : files.workers) {
    read(file, part.trace.workers.emplace_back());
  }
  read(files.job, part.trace.job);
  part.trace.names = names.texts();
  part.trace.header = {.workers = static_cast<std::uint32_t>(files.workers.size()),
                       .ticks_per_second = files.clock.ticks_per_second};
  return part;
}

void complain(const std::string& what) { base::say("weft: " + what + '\n'); }

}  // namespace

Timeline::Timeline(TimelineOptions options, ProcessId process, std::uint32_t workers, std::uint32_t host)
    : options_(std::move(options)),
      process_(process),
      began_(moment()),
      host_(host),
      steps_(recorder_options(workers)) {
  for (std::uint32_t w = 0; w < workers; ++w) {
    recorders_.push_back(std::make_unique<Recorder>(recorder_options(w)));
    if (!parts_folder().empty()) {
      recorders_.back()->reserve();
    }
  }
}

std::string Timeline::part_name(ProcessId process, std::uint32_t worker) {
  return fmt::format("weft-{}-{}.part", number(process), worker);
}

std::string Timeline::part_file(ProcessId process, std::uint32_t worker) const {
  return parts_folder() + '/' + part_name(process, worker);
}

// For a worker; for the job's own events if `worker` is the number of workers.
RecorderOptions Timeline::recorder_options(std::uint32_t worker) const {
  if (parts_folder().empty()) {
    return {.most_bytes = options_.most_bytes, .file = {}};
  }
  constexpr std::size_t kPiece = std::size_t{1} << 20;  // longer pieces are not written faster
  return {.most_bytes = std::min(options_.most_bytes, kPiece),
          .file = part_file(process_, worker),
          .keeps_runs = !options_.file.empty(),
          .keeps_computing = !options_.recording.empty(),
          .keeps_times_in_calls = !options_.file.empty() || !options_.folder.empty()};
}

void Timeline::record_step(const std::string& what, std::uint64_t begin, std::int64_t imbalance) {
  const std::lock_guard lock(mutex_);
  steps_.record_span(what, begin, ticks());
  steps_.record_counter("imbalance, % of the mean", imbalance);
}

std::vector<std::byte> Timeline::part(std::vector<WorkerCore> cores) {
  const std::lock_guard lock(mutex_);
  PartText text{.clock = {.host = host_,
                          .begin = began_,
                          .end = moment(),
                          .ticks_per_second = static_cast<std::uint64_t>(ticks_per_second())},
                .host_name = base::host_name(),
                .workers = static_cast<std::uint32_t>(recorders_.size()),
                .is_truncated = steps_.full(),
                .events = {},
                .bytes = {},
                .whole = {},
                .checksums = {},
                .cores = std::move(cores)};
  if (!parts_folder().empty()) {
    const auto finish = [&](Recorder& recorder) {
      const auto number = static_cast<std::uint32_t>(text.bytes.size());
      const bool is_whole = recorder.finish_file();
      std::optional<std::uint32_t> checksum = 0;
      if (!options_.recording.empty()) {
        checksum = base::checksum_of_file(part_file(process_, number));
      }
      text.whole.push_back(is_whole && checksum ? 1 : 0);
      text.bytes.push_back(recorder.bytes_in_file());
      text.checksums.push_back(checksum.value_or(0));
      text.is_truncated |= text.whole.back() == 0;
    };
    text.is_truncated = false;
    for (const auto& recorder : recorders_) {
      finish(*recorder);
    }
    finish(steps_);
    return pup::pack(text);
  }
  std::ostringstream events;
  trace::Writer writer(events, {.workers = text.workers, .ticks_per_second = text.clock.ticks_per_second});
  for (std::uint32_t w = 0; w < recorders_.size(); ++w) {
    text.is_truncated |= recorders_[w]->full();
    writer.append(w, recorders_[w]->buffer());
  }
  writer.append_job(steps_.buffer());
  writer.finish();
  text.events = std::move(events).str();
  return pup::pack(text);
}

void Timeline::add_part(ProcessId from, std::span<const std::byte> part) {
  PartText text;
  pup::unpack(part, text);
  ReceivedTrace received{.files = {.clock = text.clock, .host_name = text.host_name, .workers = {}, .job = {}},
                         .part = {},
                         .recorded = {},
                         .cores = std::move(text.cores),
                         .is_truncated = text.is_truncated};
  for (std::uint32_t i = 0; i < text.bytes.size(); ++i) {
    received.recorded.push_back({.name = part_name(from, i),
                                 .bytes = text.bytes[i],
                                 .whole = text.whole[i] != 0,
                                 .checksum = text.checksums[i]});
  }
  if (parts_folder().empty()) {
    std::istringstream events(std::move(text.events));
    received.part = {
        .trace = trace::read(events), .host = text.clock.host, .begin = text.clock.begin, .end = text.clock.end};
  } else {
    for (std::uint32_t w = 0; w < text.workers; ++w) {
      received.files.workers.push_back(part_file(from, w));
    }
    received.files.job = part_file(from, text.workers);
  }
  const std::lock_guard lock(mutex_);
  if (parts_.size() <= number(from)) {
    parts_.resize(number(from) + 1);
  }
  parts_[number(from)] = std::move(received);
}

std::uint32_t Timeline::parts() const {
  const std::lock_guard lock(mutex_);
  std::uint32_t all = 0;
  for (const auto& part : parts_) {
    all += part ? 1 : 0;
  }
  return all;
}

void Timeline::warn_of_truncation() const {
  if (!parts_folder().empty()) {
    complain(fmt::format("the {} {} does not hold all events: they could not be written",
                         options_.recording.empty() ? "trace" : "recording", parts_folder()));
  } else {
    complain(
        fmt::format("the trace {} does not reach to the end: a worker's events filled --trace-memory", options_.file));
  }
}

void Timeline::write(trace::Manifest manifest) {
  std::vector<ReceivedTrace> received;
  {
    const std::lock_guard lock(mutex_);
    for (auto& part : std::exchange(parts_, {})) {
      received.push_back(std::move(*part));
    }
  }
  if (std::ranges::any_of(received, &ReceivedTrace::is_truncated)) {
    warn_of_truncation();
  }
  std::vector<trace::ProcessTrace> parts;
  std::vector<trace::ProcessFiles> files;
  for (ReceivedTrace& part : received) {
    parts.push_back(std::move(part.part));
    files.push_back(part.files);
  }
  try {
    if (!parts_folder().empty() && !options_.file.empty()) {
      std::ranges::transform(files, parts.begin(), read_files);
    }
    if (!options_.file.empty()) {
      write_chrome(std::move(parts));
    }
    if (!options_.folder.empty()) {
      write_archive(files);
    }
    if (!options_.recording.empty()) {
      write_recording(std::move(manifest), std::move(received));
    }
  } catch (const trace::Error& error) {
    complain(options_.folder.empty() ? error.what() : fmt::format("the trace {}: {}", options_.folder, error.what()));
  }
}

void Timeline::write_recording(trace::Manifest manifest, std::vector<ReceivedTrace> parts) const {
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    ReceivedTrace& part = parts[p];
    const std::uint32_t host = part.files.clock.host;
    manifest.hosts.resize(std::max<std::size_t>(manifest.hosts.size(), host + 1));
    manifest.hosts[host] = part.files.host_name;
    trace::RecordedFile job = std::move(part.recorded.back());
    part.recorded.pop_back();
    manifest.processes.push_back(
        {.host = host, .clock = part.files.clock, .workers = std::move(part.recorded), .job = std::move(job)});
    for (const WorkerCore& at : part.cores) {
      const auto core = at.core < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(at.core));
      manifest.workers.push_back({.process = p, .numa = at.numa, .core = core});
    }
  }
  trace::write_manifest(options_.recording, manifest);
}

void Timeline::write_chrome(std::vector<trace::ProcessTrace> parts) const {
  std::ofstream out(options_.file, std::ios::binary);
  try {
    trace::write_chrome(trace::merge(std::move(parts)), out);
    out.close();
  } catch (const trace::Error&) {
    out.setstate(std::ios::failbit);
  }
  if (!out) {
    complain(fmt::format("cannot write the trace {}: {}", options_.file, std::strerror(errno)));
  }
}

void Timeline::write_archive(const std::vector<trace::ProcessFiles>& parts) const {
  trace::write_otf2(options_.folder, parts);
  if (!options_.recording.empty()) {
    return;  // the recording consists of the parts
  }
  for (const trace::ProcessFiles& part : parts) {
    std::error_code ignored;
    std::filesystem::remove(part.job, ignored);
    for (const std::string& file : part.workers) {
      std::filesystem::remove(file, ignored);
    }
  }
}

}  // namespace timeline
}  // namespace weft::runtime
