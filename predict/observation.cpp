#include "predict/observation.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace weft::predict {
namespace {

void check_run(const Observation& run, const Observation& first) {
  const Profile& profile = run.profile;
  if (profile.exit_code != 0) {
    throw PredictError(fmt::format("{}: the run failed with exit code {}; record one that ends well", profile.name,
                                   profile.exit_code));
  }
  if (profile.program != first.profile.program) {
    throw PredictError(fmt::format("{} is a run of {}, {} of {}; profiles are of one program", first.profile.name,
                                   first.profile.program, profile.name, profile.program));
  }
  if (!(profile.time > 0.0) || !(profile.computing() > 0.0)) {
    throw PredictError(fmt::format("{}: no rank computed anything that was recorded", profile.name));
  }
}

void check_pair(const Observation& one, const Observation& other) {
  const auto [low, high] = std::minmax(one.profile.time, other.profile.time);
  if (same_setting(one, other) && high > kMostDifference * low) {
    throw PredictError(fmt::format(
        "{} and {} contradict each other: {} ranks on {} cores took {:.3g} and {:.3g} s; record both again on an idle "
        "machine, with the same problem",
        one.profile.name, other.profile.name, one.where.ranks, one.where.cores(), one.profile.time,
        other.profile.time));
  }
}

}  // namespace

std::vector<std::uint32_t> Configuration::ranks_on() const {
  std::vector<std::uint32_t> on;
  for (std::uint64_t i = 0; i < instances; ++i) {
    on.push_back(static_cast<std::uint32_t>((i + 1) * ranks / instances - i * ranks / instances));
  }
  return on;
}

Observation observation_of(Profile profile, const Machine& machine) {
  Configuration where{.machine = machine, .instances = std::max(1U, profile.hosts), .ranks = profile.ranks};
  where.machine.cores = std::max(1U, profile.workers / where.instances);
  return {.profile = std::move(profile), .where = std::move(where)};
}

bool same_setting(const Observation& one, const Observation& other) {
  return one.where.ranks == other.where.ranks && one.where.cores() == other.where.cores() &&
         one.where.instances == other.where.instances && one.where.machine.name == other.where.machine.name;
}

void check_observations(std::span<const Observation> observations) {
  std::set<std::uint32_t> sizes;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    check_run(observations[i], observations.front());
    sizes.insert(observations[i].where.ranks);
    for (std::size_t j = 0; j < i; ++j) {
      check_pair(observations[j], observations[i]);
    }
  }
  if (sizes.size() < kLeastSizes) {
    throw PredictError(fmt::format(
        "profiles of at least {} numbers of ranks are needed, there {} {}{}; record {} more with weftrun -n N --record",
        kLeastSizes, sizes.size() == 1 ? "is" : "are", sizes.size(),
        sizes.empty() ? std::string() : fmt::format(" ({})", fmt::join(sizes, ", ")), kLeastSizes - sizes.size()));
  }
}

double span_of_times(std::span<const Observation> observations) {
  const auto [low, high] =
      std::ranges::minmax_element(observations, {}, [](const Observation& run) { return run.profile.time; });
  return high->profile.time / low->profile.time;
}

}  // namespace weft::predict
