#include "runtime/placement/job_plan.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/options.hpp"

namespace weft::placement {
namespace {

using base::OptionError;

// The size of part `index` when `count` things are divided evenly into `parts`; the first parts get more.
std::uint32_t part(std::uint32_t count, std::uint32_t parts, std::uint32_t index) {
  return count / parts + (index < count % parts ? 1 : 0);
}

// The first hosts, with as many of their slots as are needed.
std::vector<HostSlots> needed(std::vector<HostSlots> hosts, const PlanRequest& request) {
  const bool all_known = std::ranges::all_of(hosts, [](const HostSlots& host) { return host.slots.has_value(); });
  if (request.slots && all_known) {
    std::uint32_t left = *request.slots;
    for (HostSlots& host : hosts) {
      host.slots = std::min(*host.slots, left);
      left -= *host.slots;
    }
    std::erase_if(hosts, [](const HostSlots& host) { return host.slots == 0; });
  }
  if (request.most_hosts && *request.most_hosts < hosts.size()) {
    hosts.resize(*request.most_hosts);
  }
  return hosts;
}

// Parses a number at the beginning of `text` and removes it.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

std::vector<std::string> JobPlan::host_of_processes() const {
  std::vector<std::string> names;
  names.reserve(processes.size());
  for (const ProcessPlace& process : processes) {
    names.push_back(hosts[process.host]);
  }
  return names;
}

JobPlan plan_job(std::vector<HostSlots> hosts, const PlanRequest& request) {
  hosts = needed(std::move(hosts), request);
  const auto count = static_cast<std::uint32_t>(hosts.size());
  const std::uint32_t processes = request.processes.value_or(count);
  if (processes < count) {
    throw OptionError("--processes " + std::to_string(processes) + " is less than the " + std::to_string(count) +
                      " hosts that the job has: each needs one");
  }
  JobPlan plan;
  for (std::uint32_t h = 0; h < count; ++h) {
    const std::uint32_t here = part(processes, count, h);
    const std::uint32_t slots = hosts[h].slots.value_or(0);
    if (slots != 0 && slots < here) {
      throw OptionError("--processes " + std::to_string(processes) + " is " + std::to_string(here) + " on host " +
                        hosts[h].host + ", which has " + std::to_string(slots) + " slots: each needs one");
    }
    for (std::uint32_t p = 0; p < here; ++p) {
      plan.processes.push_back({h, part(slots, here, p)});
    }
    plan.hosts.push_back(std::move(hosts[h].host));
  }
  return plan;
}

JobPlan plan_of_hosts(const std::vector<std::string>& host_of_processes) {
  JobPlan plan;
  for (const std::string& name : host_of_processes) {
    const auto known = std::ranges::find(plan.hosts, name);
    plan.processes.push_back({static_cast<std::uint32_t>(known - plan.hosts.begin()), 0});
    if (known == plan.hosts.end()) {
      plan.hosts.push_back(name);
    }
  }
  return plan;
}

// HOST:WORKERS, HOST*N:WORKERS for N processes of a host, HOST+N:WORKERS for one on each of N hosts.
std::string to_text(const std::vector<ProcessPlace>& processes) {
  std::string text;
  for (std::size_t i = 0; i < processes.size();) {
    const ProcessPlace first = processes[i];
    std::uint32_t same = 1;
    std::uint32_t further = 1;
    while (i + same < processes.size() && processes[i + same] == first) {
      ++same;
    }
    while (i + further < processes.size() &&
           processes[i + further] == ProcessPlace{first.host + further, first.workers}) {
      ++further;
    }
    const std::uint32_t count = std::max(same, further);
    text += (text.empty() ? "" : ",") + std::to_string(first.host);
    text += count == 1 ? "" : (same > 1 ? "*" : "+") + std::to_string(count);
    text += ":" + std::to_string(first.workers);
    i += count;
  }
  return text;
}

std::vector<ProcessPlace> parse_places(std::string_view text) {
  std::vector<ProcessPlace> processes;
  for (std::string_view item : base::split_words(text, ',')) {
    const auto host = take_number(item);
    const char kind = item.empty() ? ':' : item.front();
    std::optional<std::uint32_t> count = 1;
    if (kind != ':') {
      item.remove_prefix(1);
      count = take_number(item);
    }
    const bool goes_on = item.starts_with(':') && (kind == ':' || kind == '*' || kind == '+');
    item.remove_prefix(goes_on ? 1 : 0);
    const auto workers = take_number(item);
    if (!host || !count || !goes_on || !workers || !item.empty() || *count > 65536) {
      throw OptionError("WEFT_PLACES is not what weftrun has set: unset it");
    }
    for (std::uint32_t i = 0; i < *count; ++i) {
      processes.push_back({*host + (kind == '+' ? i : 0), *workers});
    }
  }
  return processes;
}

}  // namespace weft::placement
