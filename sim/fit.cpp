#include "sim/fit.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <boost/math/tools/toms748_solve.hpp>
#include <nlohmann/json.hpp>

#include "sim/compile.hpp"
#include "sim/measured.hpp"
#include "sim/platform_file.hpp"
#include "sim/replay.hpp"

namespace weft::sim {
namespace {

constexpr double kTolerance = 1e-3;  // of the factor

std::vector<ColdCost> scaled(std::vector<ColdCost> costs, double factor) {
  for (ColdCost& cost : costs) {
    cost.message *= factor;
    cost.switching *= factor;
    cost.copy_per_byte *= factor;
  }
  return costs;
}

PlatformChange shape_of(const Platform& platform) {
  return {.hosts = static_cast<std::uint32_t>(platform.hosts.size()),
          .processes = platform.processes,
          .workers = static_cast<std::uint32_t>(platform.workers.size())};
}

}  // namespace

ColdFit fit_cold_caches(const std::string& recording, const PlatformFile& file,
                        const std::function<void(unsigned done)>& replayed) {
  const MeasuredRun run = measured_run(recording);
  if (run.result.strategy != "none") {
    throw WorkloadError(fmt::format("{}: it was recorded with --lb {}; a fit takes a run without balancing", recording,
                                    run.result.strategy));
  }
  Platform platform = file.with({});
  if (shape_of(platform) != shape_of(run.platform)) {
    platform = file.with(shape_of(run.platform));
  }
  if (platform.cold_caches.empty()) {
    throw PlatformError("the platform has no cold_caches to fit; weftsim calibrate measures them");
  }
  const Workload workload = compile_recording(recording).workload;
  const ReplayOptions options{.homes = run.placement};
  const std::vector<ColdCost> costs = platform.cold_caches;
  unsigned replays = 0;
  const auto makespan = [&](double factor) {
    platform.cold_caches = scaled(costs, factor);
    const Seconds seconds = replay(workload, platform, options).makespan;
    replayed(++replays);
    return seconds;
  };
  ColdFit fit{.recorded = run.result.makespan};
  const auto missing = [&](double factor) { return makespan(factor) - fit.recorded; };
  fit.before = makespan(1.0);
  const bool is_short = fit.before < fit.recorded;
  const double limit = is_short ? kMostColdFactor : kLeastColdFactor;
  fit.after = makespan(limit);
  if ((fit.after < fit.recorded) == is_short) {
    fit.is_determined = false;
    fit.after = fit.before;
    return fit;
  }
  const auto close = [](double a, double b) { return std::abs(b - a) <= kTolerance * a; };
  const double here = fit.before - fit.recorded;
  const double there = fit.after - fit.recorded;
  std::uintmax_t most = kMostFitReplays - replays - 1;
  const auto [low, high] = is_short ? boost::math::tools::toms748_solve(missing, 1.0, limit, here, there, close, most)
                                    : boost::math::tools::toms748_solve(missing, limit, 1.0, there, here, close, most);
  fit.factor = (low + high) / 2;
  fit.after = makespan(fit.factor);
  return fit;
}

std::string with_cold_factor(const std::string& text, double factor) {
  nlohmann::ordered_json platform = nlohmann::ordered_json::parse(text);
  for (nlohmann::ordered_json& cost : platform["cold_caches"]) {
    for (const char* const key : {"message_us", "switch_us"}) {
      cost[key] = cost.value(key, 0.0) * factor;
    }
    cost["copy_mb_per_s"] = cost.value("copy_mb_per_s", 0.0) / factor;
  }
  return platform.dump(1) + "\n";
}

}  // namespace weft::sim
