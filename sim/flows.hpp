// Simulates long messages as flows that share the bandwidth of links max-min fairly.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/event_queue.hpp"
#include "sim/max_min.hpp"
#include "sim/network.hpp"
#include "sim/timer_queue.hpp"

namespace weft::sim {

// Links are the ports of processes and hosts, and both directions of each trunk. All flows of a route have the same
// rate, so each route counts the bytes that it has given to each of its flows. A flow ends when this count has grown by
// the flow's length. A change of rates thus costs time per route, not per flow.
class Flows {
 public:
  Flows(const Platform& platform, EventQueue& events);

  // The message's first byte leaves at `now`. Rates change after all other events at `now` (update_rates event).
  // Returns false if no link of the route limits bandwidth: then the last byte leaves at once.
  bool start(std::uint32_t message, PortPair ports, std::uint64_t bytes, Seconds now);
  // The messages whose last bytes leave at `now`, if any. Valid until the next call.
  std::span<const std::uint32_t> end(Seconds now);
  // Computes the rates again.
  void update_rates(Seconds now);

 private:
  struct Flow {
    double end = 0.0;  // value of its route's `served` at which it ends
    std::uint64_t order = 0;
    std::uint32_t message = 0;
    friend bool operator>(const Flow& a, const Flow& b) {
      return a.end > b.end || (a.end == b.end && a.order > b.order);
    }
  };
  struct Route {
    std::vector<Flow> flows{};  // heap: the next one to end first
    double served = 0.0;        // bytes given to each flow until `since`; 0 when the route has no flows
    double rate = 0.0;          // bytes in a second, of each flow
    Seconds since = 0.0;
    void advance(Seconds now) {
      served += rate * (now - since);
      since = now;
    }
    // When the next flow ends. REQUIRES: there is one; advance() to this time.
    [[nodiscard]] Seconds due() const;
  };

  [[nodiscard]] std::optional<std::uint32_t> route_between(PortPair ports);
  void end_first_flows(std::uint32_t route, Seconds now);
  void count_changed(std::uint32_t route, Seconds now);
  void schedule_next_end();

  EventQueue& events_;
  std::uint32_t ports_;
  std::uint32_t sites_;
  std::vector<std::uint32_t> site_of_;  // by host
  std::vector<double> capacities_;  // by link, bytes in a second: out ports, in ports, then trunks from site to site
  MaxMin rates_;                    // of the routes
  std::vector<Route> routes_;
  std::unordered_map<std::uint64_t, std::optional<std::uint32_t>> route_of_;  // by ports; none: bandwidth has no limit
  TimerQueue ends_;                                                           // by route: when its next flow ends
  Seconds scheduled_end_ = TimerQueue::kNever;  // time of the earliest end_flows event in the queue
  bool update_scheduled_ = false;               // an update_rates event is in the queue
  std::uint64_t started_ = 0;
  std::vector<std::uint32_t> ended_;  // messages, by the last end()
};

}  // namespace weft::sim
