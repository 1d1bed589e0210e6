#include "sim/max_min.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace weft::sim {
namespace {

constexpr double kNoLevel = std::numeric_limits<double>::infinity();
// Relative rounding error of sums of rates: smaller differences count as equal.
constexpr double kRounding = 1e-12;

}  // namespace

MaxMin::MaxMin(std::span<const double> capacities) : links_(capacities.size()) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    links_[i].capacity = capacities[i];
  }
}

std::uint32_t MaxMin::add_route(std::span<const std::uint32_t> links) {
  Route& route = routes_.emplace_back();
  std::ranges::copy(links, route.links.begin());
  route.crossed = static_cast<std::uint32_t>(links.size());
  return static_cast<std::uint32_t>(routes_.size() - 1);
}

void MaxMin::set_flows(std::uint32_t number, std::uint32_t flows) {
  Route& route = routes_[number];
  if (route.flows == 0 && flows != 0) {
    add_to_links(number);
  } else if (route.flows != 0 && flows == 0) {
    remove_from_links(number);
  }
  route.flows = flows;
  if (!route.changed) {
    route.changed = true;
    changed_.push_back(number);
  }
}

void MaxMin::add_to_links(std::uint32_t number) {
  Route& route = routes_[number];
  for (std::uint32_t i = 0; i < route.crossed; ++i) {
    std::vector<std::uint32_t>& routes = links_[route.links[i]].routes;
    route.places[i] = static_cast<std::uint32_t>(routes.size());
    routes.push_back(number);
  }
}

void MaxMin::remove_from_links(std::uint32_t number) {
  Route& route = routes_[number];
  for (std::uint32_t i = 0; i < route.crossed; ++i) {
    std::vector<std::uint32_t>& routes = links_[route.links[i]].routes;
    const std::uint32_t last = routes.back();
    routes[route.places[i]] = last;
    routes.pop_back();
    Route& moved = routes_[last];
    const auto* const at = std::ranges::find(moved.links, route.links[i]);
    moved.places[static_cast<std::size_t>(at - moved.links.begin())] = route.places[i];
  }
  route.rate = 0.0;
  route.bottleneck = kNone;
}

std::span<const std::uint32_t> MaxMin::update() {
  begin_region();
  do {
    fill();
  } while (extend_region());
  for (const std::uint32_t link : region_links_) {
    links_[link].in_region = false;
  }
  for (const std::uint32_t route : region_) {
    routes_[route].in_region = false;
  }
  region_links_.clear();
  return region_;
}

// Starts with the routes whose flows have changed, and those whose bottleneck is a link of such a route.
void MaxMin::begin_region() {
  region_.clear();
  for (const std::uint32_t route : changed_) {
    routes_[route].changed = false;
    add_route_to_region(route);
  }
  changed_.clear();
  const std::size_t links = region_links_.size();
  for (std::size_t i = 0; i < links; ++i) {
    for (const std::uint32_t route : links_[region_links_[i]].routes) {
      if (routes_[route].bottleneck == region_links_[i]) {
        add_route_to_region(route);
      }
    }
  }
}

void MaxMin::add_link_to_region(std::uint32_t number) {
  Link& link = links_[number];
  link.in_region = true;
  link.flows = 0;
  link.room = link.capacity;
  for (const std::uint32_t crossing : link.routes) {
    const Route& route = routes_[crossing];
    link.flows += route.in_region ? route.flows : 0;
    link.room -= route.in_region ? 0.0 : route.flows * route.rate;
  }
  region_links_.push_back(number);
}

void MaxMin::add_route_to_region(std::uint32_t number) {
  Route& route = routes_[number];
  if (route.in_region) {
    return;
  }
  route.in_region = true;
  region_.push_back(number);
  for (std::uint32_t i = 0; i < route.crossed; ++i) {
    Link& link = links_[route.links[i]];
    if (link.in_region) {
      link.flows += route.flows;
      link.room += route.flows * route.rate;
    } else {
      add_link_to_region(route.links[i]);
    }
  }
}

// Progressive filling: sets the rates of the region's routes while all other routes keep theirs.
void MaxMin::fill() {
  for (const std::uint32_t route : region_) {
    routes_[route].has_rate = false;
  }
  narrowest_.clear();
  for (const std::uint32_t number : region_links_) {
    Link& link = links_[number];
    link.left = link.room;
    link.waiting = link.flows;
    link.level = kNoLevel;
    link.fastest = 0.0;
    if (link.waiting > 0) {
      narrowest_.emplace_back(link.share(), number);
    }
  }
  std::ranges::make_heap(narrowest_, std::greater{});
  while (!narrowest_.empty()) {
    std::ranges::pop_heap(narrowest_, std::greater{});
    const auto [share, number] = narrowest_.back();
    Link& link = links_[number];
    if (link.waiting > 0 && link.share() > share) {  // it has grown: other flows were limited elsewhere
      narrowest_.back().first = link.share();
      std::ranges::push_heap(narrowest_, std::greater{});
      continue;
    }
    narrowest_.pop_back();
    if (link.waiting > 0) {
      fill_link(number);
    }
  }
}

// `narrowest` has the lowest share of all links, so it is the bottleneck of its flows that have no rate yet: they get
// equal parts of what is left of it.
void MaxMin::fill_link(std::uint32_t narrowest) {
  const double share = links_[narrowest].share();
  links_[narrowest].level = share;
  for (const std::uint32_t number : links_[narrowest].routes) {
    Route& route = routes_[number];
    if (!route.in_region || route.has_rate) {
      continue;
    }
    route.has_rate = true;
    route.rate = share;
    route.bottleneck = narrowest;
    for (std::uint32_t i = 0; i < route.crossed; ++i) {
      Link& link = links_[route.links[i]];
      link.left -= route.flows * share;
      link.waiting -= route.flows;
      link.fastest = share;  // shares only grow
    }
  }
}

// Adds routes that cross links of the region and cannot keep their rates. Returns whether there were any.
bool MaxMin::extend_region() {
  const std::size_t links = region_links_.size();
  const std::size_t routes = region_.size();
  for (std::size_t i = 0; i < links; ++i) {
    for (const std::uint32_t route : links_[region_links_[i]].routes) {
      if (!routes_[route].in_region && !keeps_its_rate(routes_[route], region_links_[i])) {
        add_route_to_region(route);
      }
    }
  }
  return region_.size() > routes;
}

// REQUIRES: the route is outside the region, the link in it.
bool MaxMin::keeps_its_rate(const Route& route, std::uint32_t number) const {
  const Link& link = links_[number];
  if (route.rate > link.level * (1.0 + kRounding)) {
    return false;
  }
  const bool used_up = link.left <= kRounding * link.capacity;
  return route.bottleneck != number || (used_up && link.fastest <= route.rate * (1.0 + kRounding));
}

}  // namespace weft::sim
