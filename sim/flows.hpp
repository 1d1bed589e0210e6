// Long messages as flows that share the bandwidth of links max-min fairly.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/deadlines.hpp"
#include "sim/event_queue.hpp"
#include "sim/max_min.hpp"
#include "sim/network.hpp"

namespace weft::sim {

// Links are the ports of processes and hosts, and both directions of each trunk. Flows of one route are equally fast,
// so a flow ends when its route has given each of its flows so many bytes more than when the flow began: a change of
// rates concerns routes, however many flows there are.
class Flows {
 public:
  Flows(const Platform& platform, EventQueue& events);

  // The message's first byte leaves at `now`. Rates change when all that happens at `now` has happened (settle event).
  // Returns false where no link has an end of its bandwidth: the last byte leaves at once.
  bool start(std::uint32_t message, PortPair ports, std::uint64_t bytes, Seconds now);
  // The messages whose last bytes leave at `now`, if any. Valid until the next call.
  std::span<const std::uint32_t> end(Seconds now);
  // Works the rates out again.
  void settle(Seconds now);

 private:
  struct Flow {
    double end = 0.0;  // when its route's `served` is so much
    std::uint64_t order = 0;
    std::uint32_t message = 0;
    friend bool operator>(const Flow& a, const Flow& b) {
      return a.end > b.end || (a.end == b.end && a.order > b.order);
    }
  };
  struct Route {
    std::vector<Flow> flows{};  // heap: the next one to end first
    double served = 0.0;        // bytes that each flow has had at `since`, counted from when there was none
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
  void await_next_end();

  EventQueue& events_;
  std::uint32_t ports_;
  std::uint32_t sites_;
  std::vector<std::uint32_t> site_of_;  // by host
  std::vector<double> capacities_;  // by link, bytes in a second: out ports, in ports, then trunks from site to site
  MaxMin rates_;                    // of the routes
  std::vector<Route> routes_;
  std::unordered_map<std::uint64_t, std::optional<std::uint32_t>> route_of_;  // by ports; none: without an end
  Deadlines ends_;                                                            // of the routes' next flows
  Seconds awaited_ = Deadlines::kNever;  // the earliest end_flows event that is to come
  bool settles_ = false;                 // there is a settle event
  std::uint64_t started_ = 0;
  std::vector<std::uint32_t> ended_;  // messages, by the last end()
};

}  // namespace weft::sim
