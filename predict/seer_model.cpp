#include "predict/seer_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "base/check.hpp"
#include "predict/gauss_newton.hpp"
#include "predict/mva.hpp"

namespace weft::predict {
namespace {

struct Line {
  double slope = 0.0;
  double offset = 0.0;
};

// y = slope x + offset by least squares. Without two different x the slope is 0.
Line fit_line(std::span<const double> x, std::span<const double> y) {
  const double count = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / count;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / count;
  double square = 0.0;
  double product = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    square += (x[i] - mean_x) * (x[i] - mean_x);
    product += (x[i] - mean_x) * (y[i] - mean_y);
  }
  const double slope = square > 1e-12 * (1.0 + mean_x * mean_x) ? product / square : 0.0;
  return {.slope = slope, .offset = mean_y - slope * mean_x};
}

template <typename X, typename Y>
Line fit_profiles(std::span<const SeerProfile> profiles, const X& x_of, const Y& y_of) {
  base::check(!profiles.empty(), "a fit needs profiles");
  std::vector<double> x;
  std::vector<double> y;
  for (const SeerProfile& profile : profiles) {
    x.push_back(x_of(profile));
    y.push_back(y_of(profile));
  }
  return fit_line(x, y);
}

}  // namespace

double SendsFit::at(double processes) const { return c * std::log(processes) + d; }
double MessageFit::at(double processes) const { return std::max(0.0, a / processes + b); }

SendsFit fit_sends(std::span<const SeerProfile> profiles) {
  const Line line = fit_profiles(
      profiles, [](const SeerProfile& profile) { return std::log(profile.processes); },
      [](const SeerProfile& profile) { return profile.sends; });
  return {.c = line.slope, .d = line.offset};
}

MessageFit fit_messages(std::span<const SeerProfile> profiles) {
  const Line line = fit_profiles(
      profiles, [](const SeerProfile& profile) { return 1.0 / profile.processes; },
      [](const SeerProfile& profile) { return profile.message_bytes; });
  return {.a = line.slope, .b = line.offset};
}

// Job_Cycle_time = T_exe / s, T_oh = MPI_Wait / s, T_comp = T_exe / s - T_oh; s cancels.
CycleParts cycle_parts(const SeerProfile& profile) {
  const double communicating = std::clamp(profile.wait / profile.time, 0.0, 1.0);
  return {.computing = 1.0 - communicating, .communicating = communicating};
}

double cpu_service(double cpu_constant, double sends, double processes, std::uint32_t cores) {
  return cpu_constant / (sends * processes * std::min(processes, static_cast<double>(cores)));
}

double net_service(double net_constant, double message_bytes, double seconds_per_byte) {
  return net_constant * message_bytes * seconds_per_byte;
}

double cpu_visits(double processes_here, double processes, const CycleParts& parts) {
  const double here = processes_here / processes;
  const double local = here * (processes_here - 1.0) / processes * parts.communicating;
  const double remote = (processes - processes_here) / processes * here * parts.communicating;
  return here * parts.computing + local + remote;
}

double net_visits(double processes_here, double processes) {
  const double here = processes_here / processes;
  const double elsewhere = (processes - processes_here) / processes;
  return here * elsewhere + elsewhere * here;
}

SeerModel::SeerModel(std::span<const Run> runs) {
  for (const Run& run : runs) {
    profiles_.push_back(run.profile);
  }
  std::ranges::sort(profiles_, {}, &SeerProfile::processes);
  sends_ = fit_sends(profiles_);
  messages_ = fit_messages(profiles_);
  const LeastSquaresProblem problem{
      .residuals =
          [&](const std::vector<double>& values) {
            std::vector<double> errors;
            for (const Run& run : runs) {
              errors.push_back(time(run.setting, {.cpu = values[0], .net = values[1]}) / run.profile.time - 1.0);
            }
            return errors;
          },
      .start = {constants_.cpu, constants_.net},
      .least = 0.0};
  if (!std::ranges::all_of(runs, [&](const Run& run) { return std::isfinite(time(run.setting)); })) {
    constants_ = {.cpu = std::numeric_limits<double>::quiet_NaN(), .net = 1.0};
    return;
  }
  const LeastSquaresResult fit = gauss_newton(problem);
  constants_ = {.cpu = fit.values[0], .net = fit.values[1]};
  report_ = {
      .iterations = fit.iterations, .converged = fit.converged, .rms = fit.rms, .net_determined = fit.determined[1]};
}

CycleParts SeerModel::parts_at(double processes) const {
  const auto above = std::ranges::lower_bound(profiles_, processes, {}, &SeerProfile::processes);
  if (above == profiles_.end()) {
    return cycle_parts(profiles_.back());
  }
  const CycleParts high = cycle_parts(*above);
  if (above == profiles_.begin() || above->processes == processes) {
    return high;
  }
  const SeerProfile& below = *(above - 1);
  const double part = std::log(processes / below.processes) / std::log(above->processes / below.processes);
  const double communicating = std::lerp(cycle_parts(below).communicating, high.communicating, part);
  return {.computing = 1.0 - communicating, .communicating = communicating};
}

double SeerModel::time(const SeerSetting& setting, const SeerConstants& constants) const {
  const double processes = std::accumulate(setting.processes_on.begin(), setting.processes_on.end(), 0.0);
  const double sends = sends_.at(processes);
  if (!(sends > 0.0) || std::isnan(constants.cpu)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const CycleParts parts = parts_at(processes);
  const double cpu = cpu_service(constants.cpu, sends, processes, setting.cores) / setting.speed;
  const double net = net_service(constants.net, messages_.at(processes), setting.seconds_per_byte);
  std::vector<Station> stations;
  for (const std::uint32_t here : setting.processes_on) {
    stations.push_back({.visits = cpu_visits(here, processes, parts), .service = cpu});
    stations.push_back({.visits = net_visits(here, processes), .service = net});
  }
  const double response = exact_mva(stations, static_cast<std::uint32_t>(processes)).response;
  return response * sends;
}

}  // namespace weft::predict
