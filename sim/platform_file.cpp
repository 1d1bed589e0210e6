#include "sim/platform_file.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "base/input_file.hpp"
#include "sim/json_reader.hpp"

namespace weft::sim {
namespace {

constexpr std::uint32_t kPlatformVersion = 1;
constexpr std::array<std::string_view, lb::kDistancesWithinHost> kDistanceNames{"same_worker", "same_numa",
                                                                                "same_process", "same_host"};
constexpr double kMostWorkers = 1 << 22;
// Linux's time slice, 2.8 or 3 ms on machines of eight cores and more, and the default period of cpu.max.
constexpr Seconds kDefaultTimeSlice = 3e-3;
constexpr double kDefaultQuotaPeriodMs = 100.0;

void read_link(JsonObject& json, LinkCost& link) {
  json.microseconds("overhead_us", link.overhead);
  json.microseconds("latency_us", link.latency);
  json.microseconds("gap_us", link.gap);
  json.bandwidth("bandwidth_mb_per_s", link.per_byte);
  json.bandwidth("copy_mb_per_s", link.copy_per_byte);
}

void read_needed_link(JsonObject& json, LinkCost& link) {
  for (const std::string_view key : {"overhead_us", "latency_us", "bandwidth_mb_per_s"}) {
    json.need(key);
  }
  read_link(json, link);
}

struct HostShape {
  std::string name;
  std::uint32_t count = 1;
  std::uint32_t processes = 1;
  std::uint32_t numa_nodes = 1;
  std::uint32_t cores = 1;
  double speed = 1.0;
};

class PlatformReader {
 public:
  explicit PlatformReader(JsonMistakes& mistakes) : mistakes_(mistakes) {}

  Platform read(const nlohmann::json& json) {
    JsonObject top(json, "", mistakes_);
    costs(top);
    top.need("sites");
    top.objects("sites", [&](JsonObject& site) { read_site(site); });
    top.objects("trunks", [&](JsonObject& trunk) { read_trunk(trunk); });
    for (const std::string_view kind : {"hogs", "quotas"}) {
      top.objects(kind, [&](JsonObject& interference) { read_interference(interference, kind == "hogs"); });
    }
    if (platform_.workers.empty() && mistakes_.lines().empty()) {
      top.mistake("sites", "there is no core");
    }
    check_trunks(top);
    return std::move(platform_);
  }

 private:
  void costs(JsonObject& top) {
    std::uint32_t version = 0;
    top.need("weft_platform");
    top.count("weft_platform", version, {kPlatformVersion, kPlatformVersion});
    top.count("eager_limit_bytes", platform_.eager_limit);
    top.count("flow_limit_bytes", platform_.flow_limit);
    top.microseconds("switch_us", platform_.switch_cost);
    platform_.time_slice = kDefaultTimeSlice;
    top.microseconds("time_slice_us", platform_.time_slice);
    top.object("balancing", [&](JsonObject& json) {
      json.microseconds("step_us", platform_.step_cost);
      json.microseconds("move_us", platform_.move_cost);
      json.flag("known", platform_.move_cost_known);
    });
    top.object("collective_in_memory", [&](JsonObject& json) {
      json.microseconds("step_us", platform_.in_memory.step);
      json.microseconds("member_us", platform_.in_memory.member);
      json.microseconds("worker_us", platform_.in_memory.worker);
      json.bandwidth("bandwidth_mb_per_s", platform_.in_memory.per_byte);
    });
    top.objects("cold_caches", [&](JsonObject& json) { read_cold_cost(json); });
    top.object("calibration", [&](JsonObject& json) {
      json.number("multiply_adds_per_us", platform_.multiply_adds_per_us);
      json.number("computing_spread", platform_.uncertainty.computing, {0, 1});
      json.number("links_spread", platform_.uncertainty.links, {0, 1});
    });
    platform_.near = default_memory_links();
    top.object("memory", [&](JsonObject& json) {
      for (std::size_t i = 0; i < lb::kDistancesWithinHost; ++i) {
        json.object(kDistanceNames[i], [&](JsonObject& link) { read_link(link, platform_.near[i]); });
      }
    });
  }

  void read_cold_cost(JsonObject& json) {
    ColdCost cost;
    json.need("computing_us");
    json.microseconds("computing_us", cost.computing);
    json.microseconds("message_us", cost.message);
    json.microseconds("switch_us", cost.switching);
    json.bandwidth("copy_mb_per_s", cost.copy_per_byte);
    const Seconds before = platform_.cold_caches.empty() ? 0.0 : platform_.cold_caches.back().computing;
    if (json.has("computing_us") && cost.computing <= before) {
      json.mistake("computing_us",
                   fmt::format("expected more than {}, as it rises from one to the next", before * 1e6));
    }
    platform_.cold_caches.push_back(cost);
  }

  void read_site(JsonObject& json) {
    std::string name = fmt::format("site{}", platform_.sites.size());
    json.text("name", name);
    LinkCost link;
    json.need("hosts");
    json.object("link", [&](JsonObject& inner) { read_needed_link(inner, link); });
    const std::size_t before = platform_.hosts.size();
    json.objects("hosts", [&](JsonObject& host) { read_hosts(host); });
    if (platform_.hosts.size() > before + 1) {
      json.need("link");
    }
    platform_.sites.push_back(name);
    platform_.within_site.push_back(link);
  }

  void read_hosts(JsonObject& json) {
    HostShape shape;
    json.need("name");
    json.text("name", shape.name);
    json.count("count", shape.count, {1, kMostWorkers});
    json.count("cores", shape.cores, {1, kMostWorkers});
    json.count("processes", shape.processes, {1, static_cast<double>(shape.cores)});
    json.count("numa_nodes", shape.numa_nodes, {1, static_cast<double>(shape.cores)});
    json.number("speed", shape.speed, {1e-6, 1e6});
    if (double{kMostWorkers} < double{1} * shape.count * shape.cores + static_cast<double>(platform_.workers.size())) {
      json.mistake("count", fmt::format("more than {} cores in all", kMostWorkers));
      return;
    }
    for (std::uint32_t i = 0; i < shape.count; ++i) {
      std::string name = shape.count == 1 ? shape.name : fmt::format("{}{}", shape.name, i);
      if (!names_.insert(name).second) {
        json.mistake("name", fmt::format("there are two hosts {}", name));
      }
      add_host(shape, std::move(name));
    }
  }

  void add_host(const HostShape& shape, std::string name) {
    const auto host = static_cast<std::uint32_t>(platform_.hosts.size());
    first_worker_.push_back(static_cast<std::uint32_t>(platform_.workers.size()));
    for (std::uint32_t core = 0; core < shape.cores; ++core) {
      const auto part = [&](std::uint32_t parts) {
        return static_cast<std::uint32_t>(std::uint64_t{core} * parts / shape.cores);
      };
      platform_.workers.push_back({.numa = numa_nodes_ + part(shape.numa_nodes),
                                   .process = platform_.processes + part(shape.processes),
                                   .host = host,
                                   .site = static_cast<std::uint32_t>(platform_.sites.size()),
                                   .speed = shape.speed});
    }
    platform_.hosts.push_back(std::move(name));
    platform_.processes += shape.processes;
    numa_nodes_ += shape.numa_nodes;
  }

  void read_trunk(JsonObject& json) {
    Trunk trunk;
    json.need("between");
    const std::vector<std::string> ends = json.texts("between");
    const auto site = [&](const std::string& name) {
      const auto found = std::ranges::find(platform_.sites, name);
      if (found == platform_.sites.end()) {
        json.mistake("between", fmt::format("there is no site {}", name));
      }
      return static_cast<std::uint32_t>(found - platform_.sites.begin());
    };
    if (ends.size() == 2 && ends[0] != ends[1]) {
      trunk.from = site(ends[0]);
      trunk.to = site(ends[1]);
    } else {
      json.mistake("between", "expected the names of two sites");
    }
    json.need("link");
    json.object("link", [&](JsonObject& link) { read_needed_link(link, trunk.cost); });
    platform_.trunks.push_back(trunk);
  }

  // Each pair of sites needs a trunk, since messages are not routed over a third site.
  void check_trunks(JsonObject& top) {
    for (std::size_t a = 0; mistakes_.lines().empty() && a < platform_.sites.size(); ++a) {
      for (std::size_t b = a + 1; b < platform_.sites.size(); ++b) {
        const auto joins = [&](const Trunk& trunk) {
          return (trunk.from == a && trunk.to == b) || (trunk.from == b && trunk.to == a);
        };
        if (std::ranges::count_if(platform_.trunks, joins) != 1) {
          top.mistake("trunks", fmt::format("expected one between {} and {}", platform_.sites[a], platform_.sites[b]));
        }
      }
    }
  }

  // {"host": "a0", "core": 1, "from_s": 0, "until_s": 10}; without "core": all cores of the host.
  void read_interference(JsonObject& json, bool hog) {
    Interference interference{.until = std::numeric_limits<double>::infinity()};
    std::string host;
    json.need("host");
    json.text("host", host);
    json.number("from_s", interference.from);
    json.number("until_s", interference.until, {interference.from, 1e18});
    if (hog) {
      interference.threads = 1;
      json.count("threads", interference.threads, {1, 1000});
    } else {
      json.need("cores");
      json.number("cores", interference.quota, {0.001, 1});
      double period_ms = kDefaultQuotaPeriodMs;
      json.number("period_ms", period_ms, {0, 1000});
      interference.period = period_ms * 1e-3;
    }
    std::uint32_t core = 0;
    json.count("core", core, {0, kMostWorkers});
    add_interference(json, interference, host, json.has("core") ? std::optional(core) : std::nullopt);
  }

  void add_interference(JsonObject& json, Interference interference, const std::string& host,
                        std::optional<std::uint32_t> core) {
    const auto found = std::ranges::find(platform_.hosts, host);
    if (found == platform_.hosts.end()) {
      json.mistake("host", fmt::format("there is no host {}", host));
      return;
    }
    const auto number = static_cast<std::size_t>(found - platform_.hosts.begin());
    const std::uint32_t first = first_worker_[number];
    const std::size_t end = number + 1 < first_worker_.size() ? first_worker_[number + 1] : platform_.workers.size();
    const auto cores = static_cast<std::uint32_t>(end - first);
    if (core && *core >= cores) {
      json.mistake("core", fmt::format("expected a number from 0 to {}, found {}", cores - 1, *core));
      return;
    }
    for (std::uint32_t i = core.value_or(0); i < (core ? *core + 1 : cores); ++i) {
      interference.worker = first + i;
      platform_.interferences.push_back(interference);
    }
  }

  JsonMistakes& mistakes_;
  Platform platform_;
  std::set<std::string> names_;
  std::vector<std::uint32_t> first_worker_;  // by host
  std::uint32_t numa_nodes_ = 0;
};

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& name) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    throw PlatformError(fmt::format("{}: {}", name, error.what()));
  }
}

Platform platform_of(const nlohmann::json& json, const std::string& name) {
  JsonMistakes mistakes(name);
  Platform platform = PlatformReader(mistakes).read(json);
  if (!mistakes.lines().empty()) {
    throw PlatformError(mistakes.text());
  }
  return platform;
}

Platform parse_platform(std::string_view text, const std::string& name) {
  return platform_of(parse_json(text, name), name);
}

std::string text_of_file(const std::string& file) {
  if (const std::string why = base::why_unreadable(file); !why.empty()) {
    throw PlatformError(why);
  }
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

Platform read_platform(const std::string& file) { return parse_platform(text_of_file(file), file); }

}  // namespace weft::sim
