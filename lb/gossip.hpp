// Distributed balancing by gossip: Menon, Kale, "A Distributed Dynamic Load Balancer for Iterative Applications"
// (GrapevineLB, SC 2013).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lb/ranks_by_work.hpp"
#include "lb/strategy.hpp"

namespace weft::lb {

// What one balancer (of a worker or of a process) knows. It has the average from a reduction, the rest by gossip.
struct GossipNode {
  struct Known {
    std::uint32_t node;
    double room;  // work that it can take
  };
  std::uint32_t self = 0;
  std::vector<Known> known;  // nodes with room, ascending; includes the node itself if it has room
};
struct GossipSeed {
  std::uint64_t seed = 1;
  std::uint32_t round = 0;
};

// The nodes to which a node sends its knowledge in one round: `fanout` other nodes, drawn from the seed.
std::vector<std::uint32_t> gossip_peers(const GossipSeed& seed, std::uint32_t self, std::uint32_t nodes,
                                        std::uint32_t fanout);
// Adds received knowledge to a node's. Returns whether there was something new.
bool merge(GossipNode& node, std::span<const GossipNode::Known> received);

struct Transfer {
  std::uint32_t rank;
  std::uint32_t to;
};
// Chooses the ranks that a node with `excess` work gives away, largest first. Each goes to a node drawn with a
// probability proportional to its room; a rank that does not fit there stays.
std::vector<Transfer> choose_transfers(GossipNode node, const RanksByWork& ranks, double excess,
                                       const GossipSeed& seed);

// Simulates all nodes, one for each worker: rounds of gossip, then transfers. Repeats this from the result, since
// several nodes may have chosen the same receiver, and returns the best plan.
class Gossip final : public Strategy {
 public:
  explicit Gossip(std::uint64_t seed = 1) : seed_(seed) {}
  [[nodiscard]] Plan solve(const Instance& instance) const override;

 private:
  std::uint64_t seed_;
};

}  // namespace weft::lb
