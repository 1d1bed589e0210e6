// The links between workers, and the ports through which messages leave and enter processes and hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/platform.hpp"

namespace weft::sim {

enum class NetworkModel : std::uint8_t {
  loggp,  // messages do not delay each other
  ports,  // messages queue for the ports of their processes and hosts
  flows,  // the same, but long messages share links max-min fairly
};
// Throws std::invalid_argument, which lists the models.
NetworkModel network_named(std::string_view name);

// The ports of a message between two processes.
struct PortPair {
  std::uint32_t out = 0;
  std::uint32_t in = 0;
};

// Each process has a port in each direction for messages within its host; each host has one for messages to other
// hosts. A port serves messages in the order of their arrival, and is busy for g + n G with each. The in port receives
// bytes as they arrive: without contention a message arrives L + n G after it entered its out port.
class Network {
 public:
  explicit Network(const Platform& platform);

  [[nodiscard]] const LinkCost& between(const WorkerPlace& from, const WorkerPlace& to) const {
    if (from.process == to.process) {
      return links_[static_cast<std::size_t>(from.numa == to.numa ? lb::Distance::kSameNuma
                                                                  : lb::Distance::kSameProcess)];
    }
    if (from.host == to.host) {
      return links_[static_cast<std::size_t>(lb::Distance::kSameHost)];
    }
    return links_[number_between(from.site, to.site)];
  }
  [[nodiscard]] const LinkCost& on_one_worker() const { return links_.front(); }

  // The next three REQUIRE a link that one of these two functions has returned, or its number.
  [[nodiscard]] std::uint32_t number_of(const LinkCost& link) const {
    return static_cast<std::uint32_t>(&link - links_.data());
  }
  [[nodiscard]] const LinkCost& link(std::uint32_t number) const { return links_[number]; }
  [[nodiscard]] bool is_between_hosts(const LinkCost& link) const {
    return number_of(link) >= lb::kDistancesWithinHost;
  }

  [[nodiscard]] PortPair ports(const WorkerPlace& from, const WorkerPlace& to) const {
    return from.host == to.host ? PortPair{hosts_ + from.process, hosts_ + to.process} : PortPair{from.host, to.host};
  }
  // The message is at the port `out` at `now`. Returns when its first byte is at the other port.
  Seconds enter_out(std::uint32_t out, Seconds now, const LinkCost& link, std::uint64_t bytes) {
    return occupy(out_free_[out], now, link, bytes) + link.latency;
  }
  // The first byte is at the port `in` at `now`. Returns when the last byte has arrived.
  Seconds enter_in(std::uint32_t in, Seconds now, const LinkCost& link, std::uint64_t bytes) {
    return occupy(in_free_[in], now, link, bytes) + static_cast<double>(bytes) * link.per_byte;
  }
  // Arrival time without contention.
  static Seconds alone(Seconds now, const LinkCost& link, std::uint64_t bytes) {
    return now + link.latency + static_cast<double>(bytes) * link.per_byte;
  }

 private:
  [[nodiscard]] std::size_t number_between(std::size_t from, std::size_t to) const {
    return lb::kDistancesWithinHost + from * sites_ + to;
  }
  // Reserves the port for the message. Returns when the port begins to serve it.
  static Seconds occupy(Seconds& free, Seconds now, const LinkCost& link, std::uint64_t bytes) {
    const Seconds begin = free > now ? free : now;
    free = begin + link.gap + static_cast<double>(bytes) * link.per_byte;
    return begin;
  }

  std::uint32_t hosts_;
  std::uint32_t sites_;
  std::vector<LinkCost> links_;    // by lb::Distance; then a matrix of sites, row: from; the diagonal: within the site
  std::vector<Seconds> out_free_;  // by port: hosts, then processes
  std::vector<Seconds> in_free_;
};

}  // namespace weft::sim
