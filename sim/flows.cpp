#include "sim/flows.hpp"

#include <algorithm>
#include <functional>

namespace weft::sim {
namespace {

// 0: no limit.
double capacity_of(const LinkCost& cost) { return cost.per_byte > 0.0 ? 1.0 / cost.per_byte : 0.0; }

std::vector<double> capacities_of(const Platform& platform) {
  const std::size_t ports = platform.hosts.size() + platform.processes;
  const std::size_t sites = platform.sites.size();
  std::vector<double> capacities(2 * ports + sites * sites);
  const LinkCost& within_host = platform.near[static_cast<std::size_t>(lb::Distance::kSameHost)];
  std::ranges::fill_n(capacities.begin(), static_cast<std::ptrdiff_t>(2 * ports), capacity_of(within_host));
  for (const WorkerPlace& place : platform.workers) {
    capacities[place.host] = capacities[ports + place.host] = capacity_of(platform.within_site[place.site]);
  }
  for (const Trunk& trunk : platform.trunks) {
    capacities[2 * ports + trunk.from * sites + trunk.to] = capacity_of(trunk.cost);
    capacities[2 * ports + trunk.to * sites + trunk.from] = capacity_of(trunk.cost);
  }
  return capacities;
}

}  // namespace

Flows::Flows(const Platform& platform, EventQueue& events)
    : events_(events),
      ports_(static_cast<std::uint32_t>(platform.hosts.size()) + platform.processes),
      sites_(static_cast<std::uint32_t>(platform.sites.size())),
      site_of_(platform.hosts.size()),
      capacities_(capacities_of(platform)),
      rates_(capacities_) {
  for (const WorkerPlace& place : platform.workers) {
    site_of_[place.host] = place.site;
  }
}

Seconds Flows::Route::due() const { return since + std::max(0.0, flows.front().end - served) / rate; }

std::optional<std::uint32_t> Flows::route_between(PortPair ports) {
  const auto [at, is_new] = route_of_.try_emplace(std::uint64_t{ports.out} << 32U | ports.in);
  if (!is_new) {
    return at->second;
  }
  std::vector<std::uint32_t> links{ports.out, ports_ + ports.in};
  if (ports.out < site_of_.size() && site_of_[ports.out] != site_of_[ports.in]) {
    links.push_back(2 * ports_ + site_of_[ports.out] * sites_ + site_of_[ports.in]);
  }
  std::erase_if(links, [&](std::uint32_t link) { return capacities_[link] == 0.0; });
  if (!links.empty()) {
    at->second = rates_.add_route(links);
    routes_.emplace_back();
  }
  return at->second;
}

bool Flows::start(std::uint32_t message, PortPair ports, std::uint64_t bytes, Seconds now) {
  const std::optional<std::uint32_t> number = route_between(ports);
  if (!number) {
    return false;
  }
  Route& route = routes_[*number];
  route.advance(now);
  route.flows.push_back({route.served + static_cast<double>(bytes), started_++, message});
  std::ranges::push_heap(route.flows, std::greater{});
  count_changed(*number, now);
  return true;
}

void Flows::count_changed(std::uint32_t number, Seconds now) {
  rates_.set_flows(number, static_cast<std::uint32_t>(routes_[number].flows.size()));
  if (!update_scheduled_) {
    update_scheduled_ = true;
    events_.add(now, SimEventKind::update_rates, 0);
  }
}

std::span<const std::uint32_t> Flows::end(Seconds now) {
  ended_.clear();
  if (now >= scheduled_end_) {
    scheduled_end_ = TimerQueue::kNever;
  }
  while (ends_.earliest() <= now) {
    end_first_flows(ends_.first(), now);
  }
  schedule_next_end();
  return ended_;
}

// Ends the route's next flow and all others that end at the same time.
void Flows::end_first_flows(std::uint32_t number, Seconds now) {
  Route& route = routes_[number];
  route.advance(now);
  route.served = std::max(route.served, route.flows.front().end);  // equal except for rounding
  while (!route.flows.empty() && route.due() <= now) {
    ended_.push_back(route.flows.front().message);
    std::ranges::pop_heap(route.flows, std::greater{});
    route.flows.pop_back();
  }
  if (route.flows.empty()) {
    route.served = route.rate = 0.0;
  }
  ends_.set(number, route.flows.empty() ? TimerQueue::kNever : route.due());
  count_changed(number, now);
}

void Flows::update_rates(Seconds now) {
  update_scheduled_ = false;
  for (const std::uint32_t number : rates_.update()) {
    Route& route = routes_[number];
    if (!route.flows.empty()) {
      route.advance(now);
      route.rate = rates_.rate(number);
      ends_.set(number, route.due());
    }
  }
  schedule_next_end();
}

void Flows::schedule_next_end() {
  if (ends_.earliest() < scheduled_end_) {
    scheduled_end_ = ends_.earliest();
    events_.add(scheduled_end_, SimEventKind::end_flows, 0);
  }
}

}  // namespace weft::sim
