// Divides the bandwidth of links max-min fairly among the flows that cross them (Bertsekas and Gallager 1992, 6.5.2):
// each flow has a bottleneck, a link that is used up and on which no flow is faster.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace weft::sim {

// Flows of one route are alike, so rates are kept by route. When flows have begun or ended, only the rates of a region
// around them are worked out again: the region begins with the routes whose bottleneck has changed, all others keep
// their rates, and those whose bottleneck is none any more then join it, until there are none. A division in which each
// flow has a bottleneck is the max-min fair one, and there is one only.
class MaxMin {
 public:
  static constexpr std::size_t kMostLinks = 3;  // of a route

  // By link, bytes in a second.
  explicit MaxMin(std::span<const double> capacities);

  // Returns its number; nobody uses it yet. REQUIRES: one link at least, none twice.
  std::uint32_t add_route(std::span<const std::uint32_t> links);
  void set_flows(std::uint32_t route, std::uint32_t flows);
  // After changes: routes whose rates may be others than before, among them all whose flows changed and that have any.
  // Valid until the next call of a member.
  std::span<const std::uint32_t> settle();
  // Of each of the route's flows, as settle() left it.
  [[nodiscard]] double rate(std::uint32_t route) const { return routes_[route].rate; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Route {
    std::array<std::uint32_t, kMostLinks> links{};
    std::array<std::uint32_t, kMostLinks> places{};  // in these links' lists, as long as it has flows
    std::uint32_t crossed = 0;                       // of `links`
    std::uint32_t flows = 0;
    double rate = 0.0;
    std::uint32_t bottleneck = kNone;  // a link
    bool changed = false;              // its flows have, since settle()
    bool open = false;                 // is in the region
    bool filled = false;               // and has its rate
  };
  // The second half has a meaning only while the link is open.
  struct Link {
    double capacity = 0.0;
    std::vector<std::uint32_t> routes{};  // that have flows
    bool open = false;                    // crossed by a route of the region
    std::uint32_t flows = 0;              // of the region
    std::uint32_t waiting = 0;            // those without a rate
    double room = 0.0;                    // for the region: what the other routes do not use
    double left = 0.0;                    // of the room, beside those that have a rate
    double level = 0.0;    // the rate of the flows that it is the bottleneck of; without end if there are none
    double fastest = 0.0;  // the highest rate of the region on it
    [[nodiscard]] double share() const { return left > 0.0 ? left / waiting : 0.0; }
  };

  void enlist(std::uint32_t route);
  void delist(std::uint32_t route);
  void begin_region();
  void open_link(std::uint32_t link);
  void open_route(std::uint32_t route);
  void fill();
  void fill_link(std::uint32_t link);
  bool widen();
  [[nodiscard]] bool keeps_its_rate(const Route& route, std::uint32_t link) const;

  std::vector<Link> links_;
  std::vector<Route> routes_;
  std::vector<std::uint32_t> changed_;  // routes
  std::vector<std::uint32_t> region_;   // routes; between calls: as settle() left it
  std::vector<std::uint32_t> region_links_;
  std::vector<std::pair<double, std::uint32_t>> narrowest_;  // heap of shares, which may have grown since, and links
};

}  // namespace weft::sim
