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
constexpr std::array kParameterSpreads{0.05, 1.0, 1.0, 1.0, 0.15, 1.0, 0.7};

std::vector<double> logarithms(const WeftParameters& parameters) {
  return {std::log(parameters.computing),       std::log(parameters.overhead), std::log(parameters.copying),
          std::log(parameters.remote_overhead), std::log(parameters.transfer), std::log(parameters.latency),
          std::log(parameters.in_turn)};
}
WeftParameters parameters_of(const std::vector<double>& logarithms) {
  return {.computing = std::exp(logarithms[0]),
          .overhead = std::exp(logarithms[1]),
          .copying = std::exp(logarithms[2]),
          .remote_overhead = std::exp(logarithms[3]),
          .transfer = std::exp(logarithms[4]),
          .latency = std::exp(logarithms[5]),
          .in_turn = std::min(1.0, std::exp(logarithms[6]))};
}

// A trend over the runs with several ranks, since a rank alone sends nothing, or only to itself.
template <typename Value>
Trend trend_of_messages(std::span<const Observation> runs, const Value& value) {
  std::vector<double> ranks;
  std::vector<double> values;
  for (const Observation& run : runs) {
    if (run.where.ranks > 1) {
      ranks.push_back(run.where.ranks);
      values.push_back(value(run.profile));
    }
  }
  return ranks.empty() ? Trend() : Trend(ranks, values);
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

MessageShare share_between_nodes(const Profile& profile, std::uint32_t nodes) {
  MessageShare all;
  const auto node_of = [&](std::uint32_t rank) { return std::uint64_t{rank} * nodes / profile.ranks; };
  for (const PeerTraffic& pair : profile.traffic) {
    if (node_of(pair.from) != node_of(pair.to)) {
      all.messages += static_cast<double>(pair.messages);
      all.bytes += static_cast<double>(pair.bytes);
    }
  }
  for (const CollectiveCalls& calls : profile.collective_calls) {
    const MessageShare share = share_between_nodes(calls, profile.ranks, nodes);
    all.messages += share.messages;
    all.bytes += share.bytes;
  }
  return all;
}

WeftModel::WeftModel(std::span<const Observation> runs)
    : runs_(runs.begin(), runs.end()),
      computing_(runs),
      sends_(trend_of_messages(runs, [](const Profile& profile) { return profile.sends_per_rank(); })),
      bytes_(trend_of_messages(
          runs, [](const Profile& profile) { return profile.sends_per_rank() * profile.bytes_per_send(); })) {
  fit_parameters();
  fit_corrections();
}

void WeftModel::fit_parameters() {
  const std::vector<double> usual = logarithms(parameters_);
  const LeastSquaresProblem problem{
      .residuals =
          [&](const std::vector<double>& values) {
            std::vector<double> residuals;
            for (const Observation& run : runs_) {
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

// As if each machine had one more run, which takes as long as the model says.
void WeftModel::fit_corrections() {
  std::map<std::string, unsigned> counts;
  for (const Observation& run : runs_) {
    corrections_[run.where.machine.name] += std::log(run.profile.time / time(run.where, parameters_));
    ++counts[run.where.machine.name];
  }
  for (auto& [name, correction] : corrections_) {
    correction /= counts[name] + 1;
  }
}

const Profile& WeftModel::nearest(std::uint32_t ranks) const {
  const auto distance = [&](const Observation& run) {
    return std::abs(std::log(static_cast<double>(run.where.ranks) / ranks));
  };
  return std::ranges::min_element(runs_, {}, distance)->profile;
}

const WeftModel::RemoteTrends& WeftModel::remote(std::uint32_t nodes) const {
  const auto [known, is_new] = remote_.try_emplace(nodes);
  if (is_new) {
    const auto share = [nodes](const Profile& profile) {
      return share_between_nodes(profile, std::min(nodes, profile.ranks));
    };
    known->second = {
        .messages = trend_of_messages(runs_, [&](const Profile& profile) { return share(profile).messages; }),
        .bytes = trend_of_messages(runs_, [&](const Profile& profile) { return share(profile).bytes; })};
  }
  return known->second;
}

double WeftModel::time(const Configuration& where) const {
  const auto correction = corrections_.find(where.machine.name);
  return time(where, parameters_) * std::exp(correction == corrections_.end() ? 0.0 : correction->second);
}

double WeftModel::time(const Configuration& where, const WeftParameters& parameters) const {
  const double ranks = where.ranks;
  const double speed = where.machine.effective_speed();
  const double sends = where.ranks > 1 ? std::max(1.0, sends_.at(ranks)) : 1.0;
  const double bytes = where.ranks > 1 ? bytes_.at(ranks) / sends : 0.0;
  const double visits = ranks * sends;  // of all ranks, each a computing and a send
  MessageShare to_nodes;                // of a visit: the mean number of messages to another node, and their bytes
  if (where.instances > 1) {
    to_nodes = {.messages = remote(where.instances).messages.at(ranks) / visits,
                .bytes = remote(where.instances).bytes.at(ranks) / visits};
  }
  const double computing = parameters.computing * computing_.at(where) / (visits * where.machine.quota) *
                           imbalance_of_blocks(nearest(where.ranks).rank_computing, where.busy_cores());
  const NetworkClass& network = where.machine.network;
  const double transfer = to_nodes.bytes * parameters.transfer * network.seconds_per_byte;
  const double overhead = (parameters.overhead + parameters.copying * bytes +
                           to_nodes.messages * (parameters.remote_overhead + 2.0 * network.overhead)) /
                          speed;
  const std::array queues{Queue{.demand = computing + overhead, .servers = where.machine.cores},
                          Queue{.demand = transfer}};
  const std::uint32_t customers = (where.ranks + where.instances - 1) / where.instances;
  const double latency = to_nodes.messages * parameters.latency * network.latency;
  // All compute, then all communicate.
  const double in_turn =
      (computing + overhead) * customers / std::min(customers, where.machine.cores) + transfer * customers + latency;
  return sends * std::lerp(cycle_time(queues, customers, latency), in_turn, parameters.in_turn);
}

std::string WeftModel::summary() const {
  return fmt::format(
      "computing as {} x cores^{:.2g} x {:.3g}, sends as {}, bytes as {}; {:.3g} us a message, {:.3g} us more to "
      "another node, {:.3g} ns a byte, transfer x {:.3g}, latency x {:.3g}, in turn {:.2g}",
      computing_.trend().form(), computing_.growth(), parameters_.computing, sends_.form(), bytes_.form(),
      parameters_.overhead * 1e6, parameters_.remote_overhead * 1e6, parameters_.copying * 1e9, parameters_.transfer,
      parameters_.latency, parameters_.in_turn);
}

std::unique_ptr<Predictor> fit_weft(std::span<const Observation> runs) { return std::make_unique<WeftModel>(runs); }

}  // namespace weft::predict
