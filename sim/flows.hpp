// Long messages as flows that share links: each link's bandwidth is divided max-min fairly among the flows that cross
// it (Bertsekas and Gallager 1992, 6.5.2).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "sim/event_queue.hpp"
#include "sim/network.hpp"

namespace weft::sim {

// Links are the ports of processes and hosts, and both directions of each trunk.
class Flows {
 public:
  Flows(const Platform& platform, EventQueue& events);

  // The message's first byte leaves at `now`. Rates change when all that happens at `now` has happened (settle event).
  void start(std::uint32_t message, PortPair ports, std::uint64_t bytes, Seconds now);
  // An end that was expected: the message, unless the flow has become slower or faster since.
  std::optional<std::uint32_t> end(std::uint32_t flow, Seconds now);
  // Works the rates out again, of all flows that share a link, directly or over others, with one that began or ended.
  void settle(Seconds now);

 private:
  static constexpr Seconds kNever = std::numeric_limits<Seconds>::infinity();

  struct Flow {
    std::uint32_t message = 0;
    std::uint32_t links = 0;  // of `route`
    std::array<std::uint32_t, 3> route{};
    double bytes = 0.0;  // left at `since`
    double rate = 0.0;   // bytes in a second
    Seconds since = 0.0;
    Seconds due = kNever;
    bool settled = false;  // within settle()
  };
  struct SharedLink {
    double capacity = 0.0;  // bytes in a second; 0: no end
    std::vector<std::uint32_t> flows{};
    bool seen = false;  // within settle()
    double left = 0.0;
    std::uint32_t waiting = 0;  // flows without a rate
  };

  void cross(Flow& flow, std::uint32_t link);
  void mark(std::uint32_t flow, Seconds now);
  void gather();
  void fill(std::uint32_t link, Seconds now);
  void set_rate(std::uint32_t flow, double rate, Seconds now);

  EventQueue& events_;
  std::uint32_t ports_;
  std::uint32_t sites_;
  std::vector<std::uint32_t> site_of_;  // by host
  std::vector<SharedLink> links_;       // out ports, in ports, then trunks from site to site
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> unused_;
  std::vector<std::uint32_t> changed_;  // links whose flows began or ended since settle()
  std::vector<std::uint32_t> gathered_;
};

}  // namespace weft::sim
