#include "sim/flows.hpp"

#include <algorithm>

namespace weft::sim {
namespace {

double capacity_of(const LinkCost& cost) { return cost.per_byte > 0.0 ? 1.0 / cost.per_byte : 0.0; }

}  // namespace

Flows::Flows(const Platform& platform, EventQueue& events)
    : events_(events),
      ports_(static_cast<std::uint32_t>(platform.hosts.size()) + platform.processes),
      sites_(static_cast<std::uint32_t>(platform.sites.size())),
      site_of_(platform.hosts.size()),
      links_(2 * std::size_t{ports_} + std::size_t{sites_} * sites_) {
  for (const WorkerPlace& place : platform.workers) {
    site_of_[place.host] = place.site;
  }
  for (std::uint32_t port = 0; port < ports_; ++port) {
    const bool is_host = port < site_of_.size();
    const LinkCost& cost =
        is_host ? platform.within_site[site_of_[port]] : platform.near[static_cast<std::size_t>(Nearness::same_host)];
    links_[port].capacity = links_[ports_ + port].capacity = capacity_of(cost);
  }
  for (const Trunk& trunk : platform.trunks) {
    links_[2 * ports_ + trunk.from * sites_ + trunk.to].capacity = capacity_of(trunk.cost);
    links_[2 * ports_ + trunk.to * sites_ + trunk.from].capacity = capacity_of(trunk.cost);
  }
}

void Flows::cross(Flow& flow, std::uint32_t link) {
  if (links_[link].capacity > 0.0) {
    flow.route[flow.links++] = link;
  }
}

void Flows::start(std::uint32_t message, PortPair ports, std::uint64_t bytes, Seconds now) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(flows_.size()));
    flows_.emplace_back();
  }
  const std::uint32_t number = unused_.back();
  unused_.pop_back();
  Flow& flow = flows_[number];
  flow = {.message = message, .bytes = static_cast<double>(bytes), .since = now};
  cross(flow, ports.out);
  if (ports.out < site_of_.size() && site_of_[ports.out] != site_of_[ports.in]) {
    cross(flow, 2 * ports_ + site_of_[ports.out] * sites_ + site_of_[ports.in]);
  }
  cross(flow, ports_ + ports.in);
  for (std::uint32_t i = 0; i < flow.links; ++i) {
    links_[flow.route[i]].flows.push_back(number);
  }
  if (flow.links == 0) {  // nothing holds it up
    flow.due = now;
    events_.add(now, EventKind::end_flow, number);
  }
  mark(number, now);
}

std::optional<std::uint32_t> Flows::end(std::uint32_t number, Seconds now) {
  Flow& flow = flows_[number];
  if (flow.due != now) {
    return std::nullopt;
  }
  for (std::uint32_t i = 0; i < flow.links; ++i) {
    std::vector<std::uint32_t>& others = links_[flow.route[i]].flows;
    *std::ranges::find(others, number) = others.back();
    others.pop_back();
  }
  mark(number, now);
  flow.due = kNever;
  unused_.push_back(number);
  return flow.message;
}

void Flows::mark(std::uint32_t number, Seconds now) {
  const Flow& flow = flows_[number];
  if (changed_.empty() && flow.links > 0) {
    events_.add(now, EventKind::settle_flows, 0);
  }
  changed_.insert(changed_.end(), flow.route.begin(), flow.route.begin() + flow.links);
}

// The links that are changed, those that share a flow with one of them, and so on.
void Flows::gather() {
  gathered_.clear();
  const auto see = [&](std::uint32_t link) {
    if (!links_[link].seen) {
      links_[link].seen = true;
      links_[link].left = links_[link].capacity;
      links_[link].waiting = static_cast<std::uint32_t>(links_[link].flows.size());
      gathered_.push_back(link);
    }
  };
  std::ranges::for_each(changed_, see);
  for (std::size_t i = 0; i < gathered_.size(); ++i) {
    for (const std::uint32_t number : links_[gathered_[i]].flows) {
      Flow& flow = flows_[number];
      flow.settled = false;
      std::for_each(flow.route.begin(), flow.route.begin() + flow.links, see);
    }
  }
  changed_.clear();
}

void Flows::settle(Seconds now) {
  gather();
  while (!gathered_.empty()) {
    const auto share = [&](std::uint32_t link) { return links_[link].left / links_[link].waiting; };
    std::erase_if(gathered_, [&](std::uint32_t link) {
      links_[link].seen = links_[link].waiting > 0;
      return !links_[link].seen;
    });
    const auto narrowest = std::ranges::min_element(gathered_, {}, share);
    if (narrowest != gathered_.end()) {
      fill(*narrowest, now);
    }
  }
}

// No link gives its flows less: they get equal parts of what others have left.
void Flows::fill(std::uint32_t narrowest, Seconds now) {
  const double rate = links_[narrowest].left / links_[narrowest].waiting;
  for (const std::uint32_t number : links_[narrowest].flows) {
    Flow& flow = flows_[number];
    if (flow.settled) {
      continue;
    }
    flow.settled = true;
    for (std::uint32_t i = 0; i < flow.links; ++i) {
      links_[flow.route[i]].left = std::max(0.0, links_[flow.route[i]].left - rate);
      --links_[flow.route[i]].waiting;
    }
    set_rate(number, rate, now);
  }
}

void Flows::set_rate(std::uint32_t number, double rate, Seconds now) {
  Flow& flow = flows_[number];
  if (flow.rate == rate && flow.due != kNever) {
    return;
  }
  flow.bytes = std::max(0.0, flow.bytes - flow.rate * (now - flow.since));
  flow.since = now;
  flow.rate = rate;
  flow.due = now + flow.bytes / rate;
  events_.add(flow.due, EventKind::end_flow, number);
}

}  // namespace weft::sim
