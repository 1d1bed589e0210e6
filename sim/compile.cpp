#include "sim/compile.hpp"

#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/actions_file.hpp"
#include "sim/pairing.hpp"
#include "sim/recorded_collectives.hpp"
#include "sim/recorded_streams.hpp"
#include "trace/manifest.hpp"
#include "trace/sequence.hpp"

namespace weft::sim {
namespace {

using trace::EventKind;

// Caches the meaning of call names, by their numbers in the recording.
class CallNames {
 public:
  const CallName& at(const trace::Event& event, const trace::Names& names) {
    static const CallName none;
    if (event.kind != EventKind::call_begin && event.kind != EventKind::thread_call) {
      return none;
    }
    if (event.name >= known_.size()) {
      known_.resize(event.name + std::size_t{1});
    }
    std::optional<CallName>& known = known_[event.name];
    if (!known) {
      const std::string& text = names.texts()[event.name];
      known = CallName{text, meaning_of(text)};
    }
    return *known;
  }

 private:
  std::vector<std::optional<CallName>> known_;
};

// Reads the recording once and compiles all ranks' programs.
std::vector<RecordedProgram> read_programs(const std::vector<trace::ProcessFiles>& parts, std::uint32_t ranks,
                                           RecordedJob& job) {
  trace::Names names;
  trace::Sequence sequence(parts, names);
  CallNames calls;
  std::vector<RecordedRank> compilers;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    compilers.emplace_back(rank, job);
  }
  std::uint32_t worker = 0;
  for (trace::Event event; sequence.next(worker, event);) {
    if (event.kind == EventKind::comm) {
      job.comms.define(event.comm, names.texts()[event.name]);
    } else if (trace::has_rank(event.kind)) {
      if (number(event.rank) >= ranks) {
        throw WorkloadError(fmt::format("the recording has events of rank {} of {}", number(event.rank), ranks));
      }
      compilers[number(event.rank)].handle(event, calls.at(event, names));
    }
  }
  std::vector<RecordedProgram> programs;
  for (RecordedRank& compiler : compilers) {
    programs.push_back(compiler.finish());
  }
  return programs;
}

std::string listed(const std::map<std::string, std::uint64_t>& calls) {
  std::vector<std::string> parts;
  for (const auto& [name, times] : calls) {
    parts.push_back(fmt::format("{} {}", times, name));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

Compiled compile_recording(const std::string& folder, const CompileOptions& options) {
  const trace::Manifest manifest = trace::read_manifest(folder);
  if (manifest.spawned != 0) {
    throw WorkloadError(fmt::format("{}: spawned processes cannot be replayed", folder));
  }
  if (manifest.settings.lb_continuous) {
    throw WorkloadError(
        fmt::format("{}: it was recorded with --lb-continuous, which is not simulated; record without it", folder));
  }
  Compiled result;
  RecordedJob job{.comms = {}, .collective = {}, .recorded_loads = options.recorded_loads, .counts = {}};
  CollectiveList collectives(result.workload, job.comms, manifest.ranks());
  job.collective = [&](const RecordedCollective& call) { return collectives.action(call); };
  try {
    add_streams(result.workload, read_programs(trace::process_files(folder, manifest), manifest.ranks(), job));
    check_workload(result.workload);
    pair_channels(result.workload);
  } catch (const WorkloadError& error) {
    throw WorkloadError(fmt::format("{}: {}", folder, error.what()));
  } catch (const trace::Error& error) {
    throw trace::Error(fmt::format("{}: {}", folder, error.what()));
  }
  result.counts = std::move(job.counts);
  return result;
}

std::string compile_summary(const Compiled& compiled) {
  const RecordedCounts& counts = compiled.counts;
  std::string text = fmt::format(
      "{} ranks, {} actions ({} written, {} templates), {} messages of {} bytes, {:.6g} s of computing\n",
      compiled.workload.streams.size(), expanded_actions(compiled.workload), compiled.workload.actions.size(),
      compiled.workload.templates.size(), counts.messages, counts.bytes, counts.computing);
  if (counts.wildcards != 0) {
    text += fmt::format("{} receives with wildcards replay as they matched\n", counts.wildcards);
  }
  if (!counts.polls.empty()) {
    text +=
        fmt::format("found nothing, so that only what was computed between them counts: {}\n", listed(counts.polls));
  }
  if (!counts.left_out.empty()) {
    text += fmt::format("make communicators, and are taken to cost nothing: {}\n", listed(counts.left_out));
  }
  return text;
}

Workload read_workload(const std::string& path) {
  return std::filesystem::is_directory(path) ? compile_recording(path).workload : read_actions(path);
}

}  // namespace weft::sim
