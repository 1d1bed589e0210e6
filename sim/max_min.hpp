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

// All flows of a route have the same rate, so rates are kept by route. When flows begin or end, only the rates of a
// region around them are computed again. The region starts with the routes whose bottleneck has changed; all other
// routes keep their rates. Routes whose bottleneck is no longer one then join the region, until there are none left. A
// division in which each flow has a bottleneck is max-min fair, and there is only one such division.
class MaxMin {
 public:
  static constexpr std::size_t kMostLinks = 3;  // in a route

  // By link, bytes in a second.
  explicit MaxMin(std::span<const double> capacities);

  // Returns the route's number; it has no flows yet. REQUIRES: at least one link, none twice.
  std::uint32_t add_route(std::span<const std::uint32_t> links);
  void set_flows(std::uint32_t route, std::uint32_t flows);
  // Computes the rates after changes. Returns the routes whose rates may have changed, which include all routes whose
  // flows changed and that have flows. Valid until the next call of a member.
  std::span<const std::uint32_t> update();
  // The rate of each of the route's flows, as of the last update().
  [[nodiscard]] double rate(std::uint32_t route) const { return routes_[route].rate; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Route {
    std::array<std::uint32_t, kMostLinks> links{};
    std::array<std::uint32_t, kMostLinks> places{};  // in these links' lists, while it has flows
    std::uint32_t crossed = 0;                       // how many of `links` are used
    std::uint32_t flows = 0;
    double rate = 0.0;
    std::uint32_t bottleneck = kNone;  // a link
    bool changed = false;              // its flows have changed since update()
    bool in_region = false;
    bool has_rate = false;  // in the region: fill() has set its rate
  };
  // Members from `in_region` on: the others are valid only while it is true.
  struct Link {
    double capacity = 0.0;
    std::vector<std::uint32_t> routes{};  // that have flows
    bool in_region = false;               // crossed by a route of the region
    std::uint32_t flows = 0;              // of the region's routes
    std::uint32_t waiting = 0;            // flows of these that have no rate yet
    double room = 0.0;                    // capacity that routes outside the region leave
    double left = 0.0;                    // part of `room` not used by flows that have a rate
    double level = 0.0;                   // rate of the flows whose bottleneck it is; infinite if there are none
    double fastest = 0.0;                 // highest rate of the region's flows on it
    [[nodiscard]] double share() const { return left > 0.0 ? left / waiting : 0.0; }
  };

  void add_to_links(std::uint32_t route);
  void remove_from_links(std::uint32_t route);
  void begin_region();
  void add_link_to_region(std::uint32_t link);
  void add_route_to_region(std::uint32_t route);
  void fill();
  void fill_link(std::uint32_t link);
  bool extend_region();
  [[nodiscard]] bool keeps_its_rate(const Route& route, std::uint32_t link) const;

  std::vector<Link> links_;
  std::vector<Route> routes_;
  std::vector<std::uint32_t> changed_;  // routes
  std::vector<std::uint32_t> region_;   // routes; between calls: those of the last update()
  std::vector<std::uint32_t> region_links_;
  std::vector<std::pair<double, std::uint32_t>> narrowest_;  // heap of (share, link); shares may have grown since
};

}  // namespace weft::sim
