#include "sim/max_min.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace weft::sim {
namespace {

constexpr double kNoLevel = std::numeric_limits<double>::infinity();
// Sums of rates are rounded: what differs by less is equal.
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
    enlist(number);
  } else if (route.flows != 0 && flows == 0) {
    delist(number);
  }
  route.flows = flows;
  if (!route.changed) {
    route.changed = true;
    changed_.push_back(number);
  }
}

void MaxMin::enlist(std::uint32_t number) {
  Route& route = routes_[number];
  for (std::uint32_t i = 0; i < route.crossed; ++i) {
    std::vector<std::uint32_t>& routes = links_[route.links[i]].routes;
    route.places[i] = static_cast<std::uint32_t>(routes.size());
    routes.push_back(number);
  }
}

void MaxMin::delist(std::uint32_t number) {
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

std::span<const std::uint32_t> MaxMin::settle() {
  begin_region();
  do {
    fill();
  } while (widen());
  for (const std::uint32_t link : region_links_) {
    links_[link].open = false;
  }
  for (const std::uint32_t route : region_) {
    routes_[route].open = false;
  }
  region_links_.clear();
  return region_;
}

// Routes whose flows have changed, and those whose bottleneck they cross or have crossed.
void MaxMin::begin_region() {
  region_.clear();
  for (const std::uint32_t route : changed_) {
    routes_[route].changed = false;
    open_route(route);
  }
  changed_.clear();
  const std::size_t links = region_links_.size();
  for (std::size_t i = 0; i < links; ++i) {
    for (const std::uint32_t route : links_[region_links_[i]].routes) {
      if (routes_[route].bottleneck == region_links_[i]) {
        open_route(route);
      }
    }
  }
}

void MaxMin::open_link(std::uint32_t number) {
  Link& link = links_[number];
  link.open = true;
  link.flows = 0;
  link.room = link.capacity;
  for (const std::uint32_t crossing : link.routes) {
    const Route& route = routes_[crossing];
    link.flows += route.open ? route.flows : 0;
    link.room -= route.open ? 0.0 : route.flows * route.rate;
  }
  region_links_.push_back(number);
}

void MaxMin::open_route(std::uint32_t number) {
  Route& route = routes_[number];
  if (route.open) {
    return;
  }
  route.open = true;
  region_.push_back(number);
  for (std::uint32_t i = 0; i < route.crossed; ++i) {
    Link& link = links_[route.links[i]];
    if (link.open) {
      link.flows += route.flows;
      link.room += route.flows * route.rate;
    } else {
      open_link(route.links[i]);
    }
  }
}

// The rates of the region, while all other routes keep theirs.
void MaxMin::fill() {
  for (const std::uint32_t route : region_) {
    routes_[route].filled = false;
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
    if (link.waiting > 0 && link.share() > share) {  // others have left more of it
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

// No link gives its flows less: those without a rate get equal parts of what others have left.
void MaxMin::fill_link(std::uint32_t narrowest) {
  const double share = links_[narrowest].share();
  links_[narrowest].level = share;
  for (const std::uint32_t number : links_[narrowest].routes) {
    Route& route = routes_[number];
    if (!route.open || route.filled) {
      continue;
    }
    route.filled = true;
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

// Takes routes into the region that cross its links and cannot keep their rates. Returns whether there were any.
bool MaxMin::widen() {
  const std::size_t links = region_links_.size();
  const std::size_t routes = region_.size();
  for (std::size_t i = 0; i < links; ++i) {
    for (const std::uint32_t route : links_[region_links_[i]].routes) {
      if (!routes_[route].open && !keeps_its_rate(routes_[route], region_links_[i])) {
        open_route(route);
      }
    }
  }
  return region_.size() > routes;
}

// The route is not in the region; the link is.
bool MaxMin::keeps_its_rate(const Route& route, std::uint32_t number) const {
  const Link& link = links_[number];
  if (route.rate > link.level * (1.0 + kRounding)) {
    return false;
  }
  const bool used_up = link.left <= kRounding * link.capacity;
  return route.bottleneck != number || (used_up && link.fastest <= route.rate * (1.0 + kRounding));
}

}  // namespace weft::sim
