#include "sim/report.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace weft::sim {
namespace {

constexpr std::size_t kMostLines = 32;

// Computing time at the worker's speed.
Seconds seconds_of(const ReplayResult& result, const Platform& platform, std::size_t worker) {
  return result.busy[worker] / platform.workers[worker].speed;
}

std::string table_of_steps(const ReplayResult& result) {
  std::string text = fmt::format("{:>8} {:>12} {:>12} {:>8} {:>14} {:>12} {:>12}\n", "call", "at s", "took s", "moves",
                                 "bytes", "before s", "planned s");
  for (std::size_t i = 0; i < result.steps.size() && i < kMostLines; ++i) {
    const StepReport& step = result.steps[i];
    text += fmt::format("{:>8} {:>12.6f} {:>12.6f} {:>8} {:>14} {:>12.6f} {:>12.6f}\n", step.call, step.at,
                        step.seconds, step.moves, step.bytes, step.before, step.after);
  }
  if (result.steps.size() > kMostLines) {
    text += fmt::format("{:>8} more steps\n", result.steps.size() - kMostLines);
  }
  return text;
}

std::string table_of_workers(const ReplayResult& result, const Platform& platform) {
  std::vector<std::size_t> order(result.busy.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto seconds = [&](std::size_t worker) { return seconds_of(result, platform, worker); };
  std::ranges::stable_sort(order, std::ranges::greater{}, seconds);
  std::string text = fmt::format("{:>8} {:>16} {:>12} {:>8}\n", "worker", "host", "busy s", "busy");
  for (std::size_t i = 0; i < order.size() && i < kMostLines; ++i) {
    const double part = result.makespan > 0.0 ? seconds(order[i]) / result.makespan : 0.0;
    text += fmt::format("{:>8} {:>16} {:>12.6f} {:>7.1f}%\n", order[i], platform.hosts[platform.workers[order[i]].host],
                        seconds(order[i]), 100.0 * part);
  }
  if (order.size() > kMostLines) {
    text += fmt::format("{:>8} more workers, down to {:.6f} s\n", order.size() - kMostLines, seconds(order.back()));
  }
  return text;
}

}  // namespace

double imbalance_of(const ReplayResult& result, const Platform& platform) {
  Seconds longest = 0.0;
  Seconds sum = 0.0;
  for (std::size_t worker = 0; worker < result.busy.size(); ++worker) {
    longest = std::max(longest, seconds_of(result, platform, worker));
    sum += seconds_of(result, platform, worker);
  }
  return sum > 0.0 ? longest * static_cast<double>(result.busy.size()) / sum : 1.0;
}

std::string result_table(const ReplayResult& result, const Platform& platform) {
  std::string text =
      fmt::format("makespan {:.9f} s; {} actions; {} messages of {} bytes in all; imbalance {:.3f}\n", result.makespan,
                  result.actions, result.messages, result.bytes, imbalance_of(result, platform));
  if (!result.steps.empty()) {
    text += "\n" + table_of_steps(result);
  }
  return text + "\n" + table_of_workers(result, platform);
}

std::string result_json(const ReplayResult& result, const Platform& platform) {
  nlohmann::json steps = nlohmann::json::array();
  for (const StepReport& step : result.steps) {
    nlohmann::json migrations = nlohmann::json::array();
    for (const Migration& migration : step.migrations) {
      migrations.push_back({migration.rank, migration.from, migration.to});
    }
    steps.push_back({{"call", step.call},
                     {"at_s", step.at},
                     {"seconds", step.seconds},
                     {"moves", step.moves},
                     {"bytes", step.bytes},
                     {"before_s", step.before},
                     {"after_s", step.after},
                     {"migrations", migrations}});
  }
  nlohmann::json workers = nlohmann::json::array();
  for (std::size_t worker = 0; worker < result.busy.size(); ++worker) {
    workers.push_back({{"host", platform.hosts[platform.workers[worker].host]},
                       {"speed", platform.workers[worker].speed},
                       {"busy_s", seconds_of(result, platform, worker)}});
  }
  const nlohmann::json json{{"makespan_s", result.makespan},
                            {"actions", result.actions},
                            {"events", result.events},
                            {"messages", result.messages},
                            {"bytes", result.bytes},
                            {"workers", workers},
                            {"steps", steps},
                            {"rank_ended_s", result.ended},
                            {"lb", result.strategy},
                            {"lb_when", result.when},
                            {"iterations", result.iterations},
                            {"iteration_ends_s", result.iteration_ends}};
  return json.dump(1) + "\n";
}

}  // namespace weft::sim
