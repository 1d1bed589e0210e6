#include "sim/network.hpp"

#include <array>
#include <stdexcept>

#include <fmt/format.h>

namespace weft::sim {

NetworkModel network_named(std::string_view name) {
  constexpr std::array<std::string_view, 3> names{"loggp", "ports", "flows"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) {
      return static_cast<NetworkModel>(i);
    }
  }
  throw std::invalid_argument(fmt::format("there is no network {}; there are loggp, ports, flows", name));
}

Network::Network(const Platform& platform)
    : hosts_(static_cast<std::uint32_t>(platform.hosts.size())),
      sites_(static_cast<std::uint32_t>(platform.sites.size())),
      links_(platform.near.begin(), platform.near.end()),
      out_free_(platform.hosts.size() + platform.processes),
      in_free_(out_free_.size()) {
  links_.resize(lb::kDistancesWithinHost + std::size_t{sites_} * sites_);
  for (std::size_t site = 0; site < sites_; ++site) {
    links_[number_between(site, site)] = platform.within_site[site];
  }
  for (const Trunk& trunk : platform.trunks) {
    links_[number_between(trunk.from, trunk.to)] = trunk.cost;
    links_[number_between(trunk.to, trunk.from)] = trunk.cost;
  }
}

}  // namespace weft::sim
