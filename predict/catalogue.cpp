#include "predict/catalogue.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "sim/json_reader.hpp"
#include "sim/platform_file.hpp"

namespace weft::predict {
namespace {

constexpr std::uint32_t kCatalogueVersion = 1;

NetworkClass read_network(sim::JsonObject& json) {
  NetworkClass network;
  for (const std::string_view key : {"name", "latency_us", "bandwidth_mb_per_s"}) {
    json.need(key);
  }
  json.text("name", network.name);
  json.microseconds("latency_us", network.latency);
  json.microseconds("overhead_us", network.overhead);
  json.bandwidth("bandwidth_mb_per_s", network.seconds_per_byte);
  return network;
}

Machine read_machine(sim::JsonObject& json, const std::vector<NetworkClass>& networks) {
  Machine machine;
  for (const std::string_view key : {"name", "cores", "network", "price_per_hour"}) {
    json.need(key);
  }
  json.text("name", machine.name);
  json.count("cores", machine.cores, {1, 1e6});
  json.number("speed", machine.speed, {1e-6, 1e6});
  json.number("quota", machine.quota, {1e-6, 1.0});
  json.number("price_per_hour", machine.price_per_hour);
  json.count("most_instances", machine.most_instances, {1, 1e6});
  std::string network;
  json.text("network", network);
  const auto found = std::ranges::find(networks, network, &NetworkClass::name);
  if (found != networks.end()) {
    machine.network = *found;
  } else if (json.has("network")) {
    json.mistake("network", fmt::format("there is no network {}", network));
  }
  return machine;
}

}  // namespace

const Machine& Catalogue::named(std::string_view name) const {
  const auto found = std::ranges::find(machines, name, &Machine::name);
  if (found != machines.end()) {
    return *found;
  }
  std::vector<std::string> names;
  for (const Machine& machine : machines) {
    names.push_back(machine.name);
  }
  throw CatalogueError(fmt::format("the catalogue has no machine {}; it has {}", name, fmt::join(names, ", ")));
}

Catalogue parse_catalogue(std::string_view text, const std::string& name) {
  const nlohmann::json json = sim::parse_json(text, name);
  sim::JsonMistakes mistakes(name);
  Catalogue catalogue;
  {
    sim::JsonObject top(json, "", mistakes);
    std::uint32_t version = 0;
    top.need("weft_catalogue");
    top.count("weft_catalogue", version);
    if (top.has("weft_catalogue") && version != kCatalogueVersion) {
      top.mistake("weft_catalogue", fmt::format("expected version {}, found {}", kCatalogueVersion, version));
    }
    top.text("currency", catalogue.currency);
    std::vector<NetworkClass> networks;
    top.objects("networks", [&](sim::JsonObject& network) { networks.push_back(read_network(network)); });
    top.objects("machines",
                [&](sim::JsonObject& machine) { catalogue.machines.push_back(read_machine(machine, networks)); });
    std::set<std::string> names;
    for (const Machine& machine : catalogue.machines) {
      if (!names.insert(machine.name).second) {
        top.mistake("machines", fmt::format("there are two of the name {}", machine.name));
      }
    }
    if (catalogue.machines.empty() && mistakes.lines().empty()) {
      top.mistake("machines", "there is no machine");
    }
  }
  if (!mistakes.lines().empty()) {
    throw CatalogueError(mistakes.text());
  }
  return catalogue;
}

Catalogue read_catalogue(const std::string& file) { return parse_catalogue(sim::text_of_file(file), file); }

}  // namespace weft::predict
