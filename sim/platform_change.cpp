#include "sim/platform_change.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/platform_file.hpp"

namespace weft::sim {
namespace {

// "hogs[+].core" as a JSON pointer: "/hogs/-/core".
nlohmann::json::json_pointer pointer_of(std::string_view path) {
  std::string pointer = "/";
  for (const char c : path) {
    if (c == '.' || c == '[') {
      pointer += '/';
    } else if (c != ']') {
      pointer += c == '+' ? '-' : c;
    }
  }
  return nlohmann::json::json_pointer(pointer);
}

// False for an element beyond the end of an array, up to which nlohmann-json would fill the array with nulls.
bool has_place(const nlohmann::json& platform, nlohmann::json::json_pointer place) {
  for (; !place.empty(); place.pop_back()) {
    const nlohmann::json::json_pointer above = place.parent_pointer();
    if (platform.contains(above)) {
      return !platform.at(above).is_array() || place.back() == "-" || platform.contains(place);
    }
  }
  return true;
}

// `assignment`: "path=value", where the value is JSON or else a string.
void set_value(nlohmann::json& platform, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw PlatformError(fmt::format("--set: expected KEY=VALUE, as sites[0].hosts[0].speed=0.5, not {}", assignment));
  }
  const std::string text = assignment.substr(equals + 1);
  nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  const std::string mistake = fmt::format("--set: there is no place for {}", assignment);
  try {
    const nlohmann::json::json_pointer place = pointer_of(assignment.substr(0, equals));
    if (!has_place(platform, place)) {
      throw PlatformError(mistake);
    }
    platform[place] = value.is_discarded() ? nlohmann::json(text) : std::move(value);
  } catch (const nlohmann::json::exception&) {
    throw PlatformError(mistake);
  }
}

nlohmann::json& entry_of_hosts(nlohmann::json& platform) {
  nlohmann::json& sites = platform["sites"];
  if (!sites.is_array() || sites.size() != 1 || !sites[0].is_object() || !sites[0]["hosts"].is_array() ||
      sites[0]["hosts"].size() != 1 || !sites[0]["hosts"][0].is_object()) {
    throw PlatformError(
        "hosts, processes and workers can be changed where hosts are alike: in one site with one entry of hosts");
  }
  return sites[0]["hosts"][0];
}

std::uint32_t part_of_host(std::string_view what, std::uint32_t all, std::uint32_t hosts) {
  if (all % hosts != 0) {
    throw PlatformError(fmt::format("{} {} cannot be spread evenly over {} hosts", all, what, hosts));
  }
  return all / hosts;
}

void set_shape(nlohmann::json& platform, const PlatformChange& change) {
  nlohmann::json& entry = entry_of_hosts(platform);
  if (change.hosts != 0) {
    entry["count"] = change.hosts;
  }
  const nlohmann::json count = entry.value("count", nlohmann::json(1U));
  if (!count.is_number_unsigned() || count.get<std::uint64_t>() == 0 || count.get<std::uint64_t>() > 1U << 22U) {
    return;  // the reader reports this error
  }
  const auto hosts = count.get<std::uint32_t>();
  if (change.workers != 0) {
    entry["cores"] = part_of_host("workers", change.workers, hosts);
    const nlohmann::json nodes = entry.value("numa_nodes", nlohmann::json(1U));
    entry["numa_nodes"] = std::min(nodes, entry["cores"]);
  }
  if (change.processes != 0) {
    entry["processes"] = part_of_host("processes", change.processes, hosts);
  }
}

void scale(LinkCost& link, const PlatformChange& change) {
  link.latency *= change.latency;
  link.per_byte /= change.bandwidth;
}

}  // namespace

PlatformFile::PlatformFile(const std::string& file) : name_(file), text_(text_of_file(file)) {}

Platform PlatformFile::with(const PlatformChange& change) const {
  nlohmann::json changed = parse_json(text_, name_);
  for (const std::string& value : change.values) {
    set_value(changed, value);
  }
  if (change.hosts != 0 || change.processes != 0 || change.workers != 0) {
    set_shape(changed, change);
  }
  Platform platform = platform_of(changed, name_);
  for (WorkerPlace& place : platform.workers) {
    place.speed *= change.speed;
  }
  scale(platform.near[static_cast<std::size_t>(lb::Distance::kSameHost)], change);
  for (LinkCost& link : platform.within_site) {
    scale(link, change);
  }
  for (Trunk& trunk : platform.trunks) {
    scale(trunk.cost, change);
  }
  return platform;
}

}  // namespace weft::sim
