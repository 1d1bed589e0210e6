#include "tools/host_options.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>

#include "base/host_name.hpp"
#include "base/say.hpp"
#include "inspect/job_folders.hpp"
#include "runtime/bootstrap/hosts.hpp"
#include "runtime/placement/batch_allocation.hpp"
#include "runtime/placement/host_slots.hpp"
#include "runtime/placement/map_text.hpp"
#include "runtime/topology/cores.hpp"
#include "tools/size_options.hpp"

namespace weft::tools {
namespace {

using base::OptionError;
using base::OptionOrigin;
using base::OptionValues;
using placement::HostSlots;

std::uint32_t number(const OptionValues& values, std::string_view name) {
  return static_cast<std::uint32_t>(values.integer(name));
}

std::optional<std::string> text_of_file(const std::string& path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return file.good() || file.eof() ? std::optional(std::move(text)) : std::nullopt;
}

// The hosts of --host and --hostfile; empty if neither is given.
std::vector<HostSlots> named_hosts(const OptionValues& values) {
  const std::string& path = values.text("hostfile");
  std::vector<HostSlots> hosts;
  if (!values.list("host").empty()) {
    hosts = placement::parse_host_list(values.list("host"));
  }
  if (values.origin("hostfile") == OptionOrigin::kDefault ||
      (path.empty() && values.origin("hostfile") == OptionOrigin::kEnvironment)) {
    return hosts;
  }
  const auto text = text_of_file(path);
  if (!text) {
    throw OptionError("--hostfile: cannot read '" + path + "'");
  }
  const auto in_file = placement::parse_hostfile(*text, path);
  return hosts.empty() ? in_file : placement::choose_hosts(in_file, hosts);
}

std::optional<placement::Allocation> allocation() {
  const auto variable = [](const std::string& name) {
    const char* const value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
  return placement::find_allocation({.variable = variable, .file = text_of_file});
}

// Sets the hosts' slots by --workers. Throws if the user has given other numbers of slots.
void apply_workers(const OptionValues& values, bool named, std::vector<HostSlots>& hosts) {
  if (!values.given("workers")) {
    return;
  }
  const std::uint32_t workers = number(values, "workers");
  const auto count = static_cast<std::uint32_t>(hosts.size());
  std::uint32_t slots = 0;
  bool all_known = true;
  for (const HostSlots& host : hosts) {
    slots += host.slots.value_or(0);
    all_known = all_known && host.slots;
  }
  if (named && all_known && slots != workers) {
    throw OptionError("the number of workers is given twice, by --workers " + std::to_string(workers) + " and as " +
                      std::to_string(slots) + " slots of hosts: leave one out");
  }
  if (workers < count) {
    throw OptionError("--workers " + std::to_string(workers) + " is less than the " + std::to_string(count) +
                      " hosts that the job has: each needs one");
  }
  for (std::uint32_t h = 0; h < count && !(named && all_known); ++h) {
    hosts[h].slots = workers / count + (h < workers % count ? 1 : 0);
  }
}

// How many workers each process of the plan would have. Prints a line on hosts whose cores it cannot know.
std::vector<std::uint32_t> workers_of(const placement::JobPlan& plan, const OptionValues& values) {
  const auto processes = static_cast<std::uint32_t>(plan.processes.size());
  const auto cores = static_cast<std::uint32_t>(runtime::allowed_cores().size());
  std::vector<std::uint32_t> workers;
  std::string unknown;
  for (std::uint32_t p = 0; p < processes; ++p) {
    const placement::ProcessPlace& place = plan.processes[p];
    if (place.workers == 0 && values.given("workers")) {
      const std::uint32_t all = std::max(number(values, "workers"), processes);
      workers.push_back(all / processes + (p < all % processes ? 1 : 0));
    } else if (place.workers == 0) {
      if (const std::string& host = plan.hosts[place.host]; !bootstrap::is_this_host(host)) {
        unknown += (unknown.empty() ? "" : ", ") + host;
      }
      const auto here = std::ranges::count(plan.processes, place.host, &placement::ProcessPlace::host);
      workers.push_back(std::max(cores / static_cast<std::uint32_t>(here), std::uint32_t{1}));
    } else {
      workers.push_back(place.workers);
    }
  }
  if (!unknown.empty() && !values.flag("quiet")) {
    base::say("weftrun: this table takes " + unknown + " to have as many cores as this host, " + std::to_string(cores) +
              " (--host HOST:N says how many)\n");
  }
  return workers;
}

}  // namespace

placement::MappingPolicy mapping_policy(const OptionValues& values) {
  placement::MappingPolicy policy;
  read_map_by(values.text("map-by"), policy);
  read_rank_by(values.text("rank-by"), policy);
  const bool per_node = values.given("npernode") || values.flag("pernode");
  if (int{values.given("ppn")} + int{per_node} + int{policy.map != placement::Unit::slot} > 1) {
    throw OptionError("--ppn, --npernode and --map-by each say where ranks go: give one of them");
  }
  if (per_node) {
    policy.map = placement::Unit::node;
    policy.per_unit = values.given("npernode") ? number(values, "npernode") : 1;
  }
  if (values.given("ppn")) {
    policy.map = placement::Unit::node;
    policy.in_turn = number(values, "ppn");
  }
  policy.may_oversubscribe = policy.may_oversubscribe && !values.flag("nooversubscribe");
  return policy;
}

placement::JobPlan job_plan(const OptionValues& values, std::span<const runtime::Application> others) {
  const OptionOrigin named = std::max(values.origin("host"), values.origin("hostfile"));
  if (named != OptionOrigin::kDefault && named == values.origin("hosts")) {
    throw OptionError("--hosts, and --host or --hostfile, each say where processes start: leave one out");
  }
  if (values.origin("hosts") > named) {
    const bool fills = mapping_policy(values).fills_slots();
    return placement::plan_of_hosts(
        fills ? process_hosts(values, others)
              : bootstrap::spread_over_hosts(values.list("hosts"),
                                             values.given("processes") ? number(values, "processes") : 0));
  }
  std::vector<HostSlots> hosts = named_hosts(values);
  const bool are_named = !hosts.empty();
  bool in_slurm = false;
  if (!are_named && !values.given("direct")) {
    if (const auto allocated = allocation()) {
      hosts = allocated->hosts;
      in_slurm = allocated->system == "Slurm";
    }
  }
  if (hosts.empty()) {
    return placement::plan_of_hosts(process_hosts(values, others));
  }
  apply_workers(values, are_named, hosts);
  placement::PlanRequest request;
  if (values.given("processes")) {
    request.processes = number(values, "processes");
  }
  if (const auto ranks = ranks_of(values, others)) {
    const std::uint32_t most = values.given("universe") ? number(values, "universe") : *ranks;
    request.most_hosts = most;
    if (mapping_policy(values).fills_slots()) {
      request.slots = most;
    }
  }
  placement::JobPlan plan = placement::plan_job(std::move(hosts), request);
  plan.in_slurm = in_slurm;
  return plan;
}

void refuse_hosts(const OptionValues& values) {
  for (const std::string_view option : {"hosts", "host", "hostfile", "processes"}) {
    if (values.origin(option) == OptionOrigin::kArgument) {
      throw OptionError("--" + std::string(option) +
                        " says where processes start, but another launcher has started this one: give it there");
    }
  }
}

bool displays_map(const OptionValues& values) {
  for (const std::string& word : values.list("display")) {
    if (word != "map") {
      throw OptionError("--display: '" + word + "' is not known; expected map");
    }
  }
  return !values.list("display").empty() || values.flag("display-map");
}

std::string map_of_plan(const placement::JobPlan& plan, const OptionValues& values,
                        std::span<const runtime::Application> others) {
  const placement::MappingPolicy policy = mapping_policy(values);
  placement::JobShape shape{.workers = workers_of(plan, values), .hosts = {}};
  for (const placement::ProcessPlace& place : plan.processes) {
    shape.hosts.push_back(place.host);
  }
  const auto workers = std::accumulate(shape.workers.begin(), shape.workers.end(), std::uint32_t{0});
  const std::uint32_t default_ranks =
      policy.per_unit != 0 ? placement::full_ranks(policy, shape) : number(values, "ratio") * workers;
  const std::uint32_t ranks = ranks_of(values, others).value_or(default_ranks);
  if (plan.processes.size() == 1 && !values.given("universe") && ranks > 1) {
    shape.workers[0] = std::min(shape.workers[0], ranks);
  }
  return placement::map_text(shape, placement::place_ranks(policy, shape, ranks), plan.host_of_processes(), {});
}

std::vector<placement::ProcessPlace> places_of(const placement::JobPlan& plan, const bootstrap::ProcessSet& next,
                                               const std::vector<std::string>& hosts) {
  std::vector<placement::ProcessPlace> places = placement::plan_of_hosts(hosts).processes;
  for (std::uint32_t p = 0; p < places.size(); ++p) {
    places[p].workers = next.workers.empty() ? plan.processes.at(p).workers : next.workers.at(p);
  }
  return places;
}

std::string job_name(const placement::JobPlan& plan) {
  const bool is_here = std::ranges::all_of(plan.hosts, &bootstrap::is_this_host);
  return std::to_string(::getpid()) + (is_here ? "" : "@" + base::host_name().substr(0, inspect::kMostHostOfJob));
}

}  // namespace weft::tools
