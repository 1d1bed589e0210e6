// Distributed balancing by rumour: Menon, Kale, "A Distributed Dynamic Load Balancer for Iterative Applications"
// (GrapevineLB, SC 2013).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lb/ranks_by_work.hpp"
#include "lb/strategy.hpp"

namespace weft::lb {

// What one balancer (of a worker, or of a process) knows. It has the average from a reduction, the rest by
// rumour.
struct GossipNode {
  struct Known {
    std::uint32_t node;
    double room;  // work that it can take
  };
  std::uint32_t self = 0;
  std::vector<Known> known;  // nodes with room, ascending; itself, where it has some
};
struct GossipSeed {
  std::uint64_t seed = 1;
  std::uint32_t round = 0;
};

// The nodes that a node sends what it knows, in one round: `fanout` others, drawn from the seed.
std::vector<std::uint32_t> gossip_peers(const GossipSeed& seed, std::uint32_t self, std::uint32_t nodes,
                                        std::uint32_t fanout);
// A rumour arrives; true if there was news in it.
bool merge(GossipNode& node, std::span<const GossipNode::Known> rumour);

struct Transfer {
  std::uint32_t rank;
  std::uint32_t to;
};
// Ranks that a node with `excess` work gives away, largest first: each to a node drawn with a probability that grows
// with its room; one that does not fit there stays.
std::vector<Transfer> give(GossipNode node, const RanksByWork& ranks, double excess, const GossipSeed& seed);

// All nodes in turn, one for each worker: rounds of rumour, then transfers; again from there while that helps, as
// several may have chosen the same receiver.
class Gossip final : public Strategy {
 public:
  explicit Gossip(std::uint64_t seed = 1) : seed_(seed) {}
  [[nodiscard]] Plan solve(const Instance& instance) const override;

 private:
  std::uint64_t seed_;
};

}  // namespace weft::lb
