// What lies between workers, and the ports through which messages leave and enter processes and hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/platform.hpp"

namespace weft::sim {

enum class NetworkModel : std::uint8_t {
  loggp,  // no message hinders another
  ports,  // messages queue for the ports of their processes and hosts
  flows,  // the same; long messages share links fairly instead (max-min)
};
// Throws std::invalid_argument, which names the models there are.
NetworkModel network_named(std::string_view name);

// Where a message goes between two processes.
struct PortPair {
  std::uint32_t out = 0;
  std::uint32_t in = 0;
};

// Each process has a port in each direction for messages within its host, and each host for those beyond. A port
// serves messages in the order in which they come to it, and is taken by each for g + n G. The in port takes bytes as
// they come: alone, a message arrives at L + n G after it entered its out port.
class Network {
 public:
  explicit Network(const Platform& platform);

  [[nodiscard]] const LinkCost& between(const WorkerPlace& from, const WorkerPlace& to) const {
    if (from.process == to.process) {
      return links_[static_cast<std::size_t>(from.numa == to.numa ? Nearness::same_numa : Nearness::same_process)];
    }
    if (from.host == to.host) {
      return links_[static_cast<std::size_t>(Nearness::same_host)];
    }
    return links_[number_between(from.site, to.site)];
  }
  [[nodiscard]] const LinkCost& on_one_worker() const { return links_.front(); }

  // Of a link that these have returned.
  [[nodiscard]] std::uint32_t number_of(const LinkCost& link) const {
    return static_cast<std::uint32_t>(&link - links_.data());
  }
  [[nodiscard]] const LinkCost& link(std::uint32_t number) const { return links_[number]; }

  [[nodiscard]] PortPair ports(const WorkerPlace& from, const WorkerPlace& to) const {
    return from.host == to.host ? PortPair{hosts_ + from.process, hosts_ + to.process} : PortPair{from.host, to.host};
  }
  // The message is at the port `out` at `now`: when its first byte is at the other port.
  Seconds enter_out(std::uint32_t out, Seconds now, const LinkCost& link, std::uint64_t bytes) {
    return take(out_free_[out], now, link, bytes) + link.latency;
  }
  // The first byte is at the port `in` at `now`: when the last one has come.
  Seconds enter_in(std::uint32_t in, Seconds now, const LinkCost& link, std::uint64_t bytes) {
    return take(in_free_[in], now, link, bytes) + static_cast<double>(bytes) * link.per_byte;
  }
  static Seconds alone(Seconds now, const LinkCost& link, std::uint64_t bytes) {
    return now + link.latency + static_cast<double>(bytes) * link.per_byte;
  }

 private:
  [[nodiscard]] std::size_t number_between(std::size_t from, std::size_t to) const {
    return kNearnesses + from * sites_ + to;
  }
  // Returns when the port begins with the message.
  static Seconds take(Seconds& free, Seconds now, const LinkCost& link, std::uint64_t bytes) {
    const Seconds begin = free > now ? free : now;
    free = begin + link.gap + static_cast<double>(bytes) * link.per_byte;
    return begin;
  }

  std::uint32_t hosts_;
  std::uint32_t sites_;
  std::vector<LinkCost> links_;    // by nearness; then between sites, row: from; the diagonal is within
  std::vector<Seconds> out_free_;  // by port: hosts, then processes
  std::vector<Seconds> in_free_;
};

}  // namespace weft::sim
