// Writes a calibration as a platform file and as a table.
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/calibration.hpp"

namespace weft::sim {
namespace {

constexpr std::array<std::string_view, lb::kDistancesWithinHost + 1> kLinkNames{
    "same_worker", "same_numa", "same_process", "same_host", "between hosts"};

// Rounds to four digits; further digits are noise.
double rounded(double value) { return std::stod(fmt::format("{:.4g}", value)); }
double microseconds(const Figure& figure) { return rounded(figure.value * 1e6); }
// 0: no limit.
double megabytes_a_second(const Figure& per_byte) {
  return per_byte.value > 0.0 ? rounded(1e-6 / per_byte.value) : 0.0;
}

nlohmann::ordered_json link_json(const LinkFigures& link, bool has_gap, bool has_latency) {
  nlohmann::ordered_json json{{"overhead_us", microseconds(link.overhead)}};
  if (has_latency) {
    json["latency_us"] = microseconds(link.latency);
  }
  if (has_gap) {
    json["gap_us"] = microseconds(link.gap);
  }
  json["bandwidth_mb_per_s"] = megabytes_a_second(link.per_byte);
  json["copy_mb_per_s"] = megabytes_a_second(link.copy_per_byte);
  return json;
}

nlohmann::ordered_json site_json(const Calibration& calibration) {
  nlohmann::ordered_json host{{"name", calibration.host},
                              {"cores", calibration.cores},
                              {"numa_nodes", calibration.numa_nodes},
                              {"speed", rounded(calibration.speed)}};
  nlohmann::ordered_json site{{"name", "here"}};
  if (calibration.has_two_hosts()) {
    host["count"] = 2;
    site["link"] = link_json(calibration.links.back(), true, true);
  }
  site["hosts"] = nlohmann::ordered_json::array({host});
  return site;
}

std::string row(std::string_view name, const Figure& figure, std::string_view unit, double factor) {
  return fmt::format("  {:<24} {:>10.4g} ± {:<8.2g} {}\n", name, factor * figure.value, factor * figure.spread, unit);
}

// Nanoseconds for each byte: unlike for a bandwidth, their spread has a meaning.
std::string bytes_row(std::string_view name, const Figure& figure) {
  std::string text = row(name, figure, "ns/byte", 1e9);
  if (figure.value > 0.0) {
    text.insert(text.size() - 1, fmt::format("  ({:.4g} MB/s)", 1e-6 / figure.value));
  }
  return text;
}

std::string link_rows(std::string_view name, const LinkFigures& link, std::size_t distance) {
  std::string text = fmt::format("{} (the fit is off by {:.1f} %)\n", name, 100.0 * link.misfit);
  text += row("overhead", link.overhead, "us", 1e6);
  if (distance != 0) {
    text += row("latency", link.latency, "us", 1e6);
  }
  text += row("gap", link.gap, "us", 1e6);
  text += bytes_row("bandwidth", link.per_byte);
  return text + bytes_row("copying", link.copy_per_byte);
}

}  // namespace

std::string platform_json(const Calibration& calibration) {
  nlohmann::ordered_json memory;
  for (std::size_t i = 0; i < lb::kDistancesWithinHost; ++i) {
    memory[std::string(kLinkNames[i])] = link_json(calibration.links[i], i + 1 == lb::kDistancesWithinHost, i != 0);
  }
  const CollectiveFigures& collective = calibration.in_memory;
  nlohmann::ordered_json cold = nlohmann::ordered_json::array();
  for (const ColdFigures& figures : calibration.cold) {
    cold.push_back({{"computing_us", rounded(figures.computing * 1e6)},
                    {"message_us", microseconds(figures.message)},
                    {"switch_us", microseconds(figures.switching)},
                    {"copy_mb_per_s", megabytes_a_second(figures.copy_per_byte)}});
  }
  nlohmann::ordered_json json{
      {"weft_platform", 1},
      {"eager_limit_bytes", calibration.eager_limit},
      {"switch_us", microseconds(calibration.switch_cost())},
      {"balancing",
       {{"step_us", microseconds(calibration.steps.step)}, {"move_us", microseconds(calibration.steps.move)}}},
      {"collective_in_memory",
       {{"step_us", microseconds(collective.step)},
        {"member_us", microseconds(collective.member)},
        {"worker_us", microseconds(collective.worker)},
        {"bandwidth_mb_per_s", megabytes_a_second(collective.per_byte)}}},
      {"memory", memory},
      {"cold_caches", cold},
      {"sites", nlohmann::ordered_json::array({site_json(calibration)})},
      {"calibration",
       {{"multiply_adds_per_us", rounded(1e-6 / calibration.multiply_add.value)},
        {"computing_spread", rounded(calibration.multiply_add.spread / calibration.multiply_add.value)},
        {"links_spread", rounded(calibration.links_spread)}}}};
  if (calibration.time_slice.value > 0.0) {
    json["time_slice_us"] = microseconds(calibration.time_slice);
  }
  return json.dump(1) + "\n";
}

std::string calibration_table(const Calibration& calibration) {
  std::string text = fmt::format("{}: {} cores, {} NUMA nodes, eager limit {} bytes, speed {:.4g}\n", calibration.host,
                                 calibration.cores, calibration.numa_nodes, calibration.eager_limit, calibration.speed);
  text += row("multiply and add", calibration.multiply_add, "ns", 1e9);
  text += row("switch", calibration.switch_cost(), "us", 1e6);
  if (calibration.time_slice.value > 0.0) {
    text += row("time slice of the system", calibration.time_slice, "ms", 1e3);
  }
  for (std::size_t i = 0; i < calibration.links.size(); ++i) {
    text += link_rows(kLinkNames.at(i), calibration.links[i], i);
  }
  const CollectiveFigures& collective = calibration.in_memory;
  text += fmt::format("collective_in_memory (the fit is off by {:.1f} %)\n", 100.0 * collective.misfit);
  text += row("step", collective.step, "us", 1e6) + row("member", collective.member, "us", 1e6) +
          row("worker", collective.worker, "us", 1e6) + bytes_row("bandwidth", collective.per_byte);
  for (const ColdFigures& figures : calibration.cold) {
    text += fmt::format("cold_caches, after {:.4g} us of computing\n", figures.computing * 1e6);
    text += row("message", figures.message, "us", 1e6) + row("switch", figures.switching, "us", 1e6) +
            bytes_row("copying", figures.copy_per_byte);
  }
  text +=
      "balancing\n" + row("step", calibration.steps.step, "us", 1e6) + row("move", calibration.steps.move, "us", 1e6);
  return text + fmt::format("timings of messages spread by {:.1f} %\n", 100.0 * calibration.links_spread);
}

}  // namespace weft::sim
