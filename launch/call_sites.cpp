#include "launch/call_sites.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <optional>
#include <span>

#include "launch/backtrace.hpp"
#include "launch/code_owner.hpp"
#include "launch/rank_samples.hpp"
#include "runtime/image/describe.hpp"

namespace weft::launch {
namespace {

// What program_return_address() would return on the rank's own thread.
std::uintptr_t caller_of(const RankSample& rank) {
  const auto program = std::ranges::find_if(rank.frames, [](std::uint64_t address) {
    return code_owner(code_location(address), address) == CodeOwner::program;
  });
  return program == rank.frames.end() ? 0 : *program + 1;
}

}  // namespace

void ProgramCallSites::attach(const runtime::Job& job, const ImageProgram& program) {
  prepare_samples(job);
  job_ = &job;
  program_ = &program;
}

std::uintptr_t ProgramCallSites::caller() const { return program_return_address(); }

std::string ProgramCallSites::name(std::uintptr_t caller) {
  const std::uintptr_t address = caller - 1;  // a return address belongs to the call before it
  std::array<char, 512> text{};
  std::string name = image::describe(reinterpret_cast<const void*>(address), text.data(), text.size());
  const std::lock_guard lock(mutex_);
  places_.try_emplace(name, code_location(address));
  return name;
}

std::vector<std::string> ProgramCallSites::lines(const std::vector<std::string>& names) {
  std::vector<std::string> unique = names;
  std::ranges::sort(unique);
  unique.erase(std::ranges::unique(unique).begin(), unique.end());
  std::vector<CodeLocation> places;
  for (const std::string& name : unique) {
    const auto found = places_.find(name);
    places.push_back(found == places_.end() ? CodeLocation{} : found->second);
  }
  for (std::size_t i = 0; i < places.size(); i += kMostCodeLocations) {
    read_source_lines(std::span(places).subspan(i, std::min(kMostCodeLocations, places.size() - i)));
  }
  std::vector<std::string> lines;
  for (const std::string& name : names) {
    const auto at = static_cast<std::size_t>(std::ranges::lower_bound(unique, name) - unique.begin());
    const CodeLocation& place = places[at];
    lines.push_back(place.line[0] == '\0' ? name : place.line.data());
  }
  return lines;
}

std::vector<std::string> ProgramCallSites::calls_of(std::span<const runtime::Rank* const> suspended) {
  if (job_ == nullptr || !kThreadsCanBeHeld) {
    return std::vector<std::string>(suspended.size());
  }
  std::optional<RankSamples> samples;
  try {
    samples.emplace(job_->universe());
    take_samples(*job_, *program_, *samples);
  } catch (const std::exception&) {  // no memory, no descriptors: a report without places is better than none
    return std::vector<std::string>(suspended.size());
  }
  std::vector<std::string> names;
  for (const runtime::Rank* const rank : suspended) {
    const auto sample = std::ranges::lower_bound(samples->ranks, number(rank->id), {}, &RankSample::rank);
    const bool is_there = sample != samples->ranks.end() && sample->rank == number(rank->id);
    const std::uintptr_t caller = is_there ? caller_of(*sample) : 0;
    names.push_back(caller == 0 ? "" : name(caller));
  }
  std::vector<std::string> places = lines(names);
  for (std::string& place : places) {
    place.erase(0, place.rfind('/') + 1);
  }
  return places;
}

}  // namespace weft::launch
