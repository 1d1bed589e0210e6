#include "predict/weft_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

#include <fmt/format.h>

#include "predict/gauss_newton.hpp"
#include "predict/mva.hpp"

namespace weft::predict {
namespace {

constexpr double kTimeSpread = 0.05;  // relative spread of a measured time
// The distances from the defaults, in logarithms, that weigh as much as one spread of a time.
constexpr std::array kParameterSpreads{0.1, 0.5, 0.5, 1.0};

std::vector<double> logarithms(const WeftParameters& parameters) {
  return {std::log(parameters.computing), std::log(parameters.overhead), std::log(parameters.memory_share),
          std::log(parameters.network)};
}
WeftParameters parameters_of(const std::vector<double>& logarithms) {
  return {.computing = std::exp(logarithms[0]),
          .overhead = std::exp(logarithms[1]),
          .memory_share = std::min(1.0, std::exp(logarithms[2])),
          .network = std::exp(logarithms[3])};
}

template <typename Value>
Trend trend_of(std::span<const Observation> runs, const Value& value) {
  std::vector<double> ranks;
  std::vector<double> values;
  for (const Observation& run : runs) {
    ranks.push_back(run.where.ranks);
    values.push_back(value(run));
  }
  return {ranks, values};
}

}  // namespace

double imbalance_of_blocks(std::span<const double> rank_computing, std::uint32_t workers) {
  const double all = std::accumulate(rank_computing.begin(), rank_computing.end(), 0.0);
  if (!(all > 0.0) || workers == 0) {
    return 1.0;
  }
  std::vector<double> sums(workers);
  const double width = static_cast<double>(workers) / static_cast<double>(rank_computing.size());
  for (std::size_t rank = 0; rank < rank_computing.size(); ++rank) {
    const double begin = static_cast<double>(rank) * width;
    const double end = begin + width;
    for (std::size_t w = static_cast<std::size_t>(begin); w < workers && static_cast<double>(w) < end; ++w) {
      const double part = std::min(end, static_cast<double>(w + 1)) - std::max(begin, static_cast<double>(w));
      sums[w] += rank_computing[rank] * std::max(part, 0.0) / width;
    }
  }
  return std::ranges::max(sums) * workers / all;
}

double remote_part(const Profile& profile, std::uint32_t nodes) {
  if (nodes < 2) {
    return 0.0;
  }
  const auto node_of = [&](std::uint32_t rank) { return std::uint64_t{rank} * nodes / profile.ranks; };
  double remote = profile.collective_messages * (nodes - 1.0) / nodes;
  for (const PeerTraffic& pair : profile.traffic) {
    remote += node_of(pair.from) == node_of(pair.to) ? 0.0 : static_cast<double>(pair.messages);
  }
  const double all = static_cast<double>(profile.messages) + profile.collective_messages;
  return all > 0.0 ? remote / all : 0.0;
}

WeftModel::WeftModel(std::span<const Observation> runs)
    : runs_(runs.begin(), runs.end()),
      computing_(
          trend_of(runs, [](const Observation& run) { return run.profile.computing() * run.where.machine.speed; })),
      sends_(trend_of(runs, [](const Observation& run) { return std::max(1.0, run.profile.sends_per_rank()); })),
      bytes_(trend_of(runs, [](const Observation& run) { return run.profile.bytes_per_send(); })) {
  const std::vector<double> usual = logarithms(parameters_);
  const LeastSquaresProblem problem{
      .residuals =
          [&](const std::vector<double>& values) {
            std::vector<double> residuals;
            for (const Observation& run : runs) {
              residuals.push_back(std::log(time(run.where, parameters_of(values)) / run.profile.time) / kTimeSpread);
            }
            for (std::size_t i = 0; i < values.size(); ++i) {
              residuals.push_back((values[i] - usual[i]) / kParameterSpreads[i]);
            }
            return residuals;
          },
      .start = usual};
  parameters_ = parameters_of(gauss_newton(problem, {.tolerance = 1e-8, .damping = 1e-3}).values);
}

const Profile& WeftModel::nearest(const Configuration& configuration) const {
  const auto distance = [&](const Observation& run) {
    return std::pair(run.where.ranks < configuration.instances,
                     std::abs(std::log(static_cast<double>(run.where.ranks) / configuration.ranks)));
  };
  return std::ranges::min_element(runs_, {}, distance)->profile;
}

double WeftModel::time(const Configuration& where, const WeftParameters& parameters) const {
  const double ranks = where.ranks;
  const double sends = sends_.at(ranks);
  const Profile& like = nearest(where);
  const double remote = remote_part(like, std::min(where.instances, like.ranks));
  const double computing = parameters.computing * computing_.at(ranks) / (ranks * sends * where.machine.speed) *
                           imbalance_of_blocks(like.rank_computing, where.busy_cores());
  const NetworkClass& network = where.machine.network;
  const double transfer = parameters.network * network.seconds_per_byte * bytes_.at(ranks);
  const double overhead = parameters.overhead / where.machine.speed + remote * 2.0 * network.overhead;
  const std::array queues{
      Queue{.demand = (1.0 - parameters.memory_share) * computing + overhead, .servers = where.machine.cores},
      Queue{.demand = parameters.memory_share * computing},
      Queue{.demand = 2.0 * remote * transfer}};  // its own message, and one that comes
  const std::uint32_t customers = (where.ranks + where.instances - 1) / where.instances;
  return sends * cycle_time(queues, customers, remote * parameters.network * network.latency);
}

std::string WeftModel::summary() const {
  return fmt::format(
      "computing as {} x {:.3g}, sends as {}, bytes as {}; overhead {:.3g} us, memory share {:.2g}, network x {:.3g}",
      computing_.form(), parameters_.computing, sends_.form(), bytes_.form(), parameters_.overhead * 1e6,
      parameters_.memory_share, parameters_.network);
}

std::unique_ptr<Predictor> fit_weft(std::span<const Observation> runs) { return std::make_unique<WeftModel>(runs); }

}  // namespace weft::predict
