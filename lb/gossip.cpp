#include "lb/gossip.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "lb/loads.hpp"
#include "lb/random.hpp"

namespace weft::lb {
namespace {

constexpr double kTolerance = 1.05;
constexpr std::uint32_t kFanout = 2;
constexpr std::uint32_t kRepeats = 8;

double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11U) * 0x1p-53; }

// One run of the algorithm, propagation and transfers, that starts from `plan`.
class GossipRun {
 public:
  GossipRun(const Instance& instance, Plan plan, std::uint64_t seed)
      : instance_(instance), plan_(std::move(plan)), seed_(seed), seconds_(worker_seconds(instance, plan_)) {
    double work = 0.0;
    double speed = 0.0;
    for (std::uint32_t worker = 0; worker < seconds_.size(); ++worker) {
      work += seconds_[worker] * instance.workers[worker].speed;
      speed += instance.workers[worker].speed;
    }
    average_ = work / speed;
  }

  Plan run() && {
    propagate();
    std::vector<bool> gives(seconds_.size());
    for (std::uint32_t worker = 0; worker < gives.size(); ++worker) {
      gives[worker] = seconds_[worker] > kTolerance * average_;
    }
    const std::vector<RanksByWork> ranks = ranks_of(gives);
    for (std::uint32_t worker = 0; worker < gives.size(); ++worker) {
      const double excess = (seconds_[worker] - average_) * instance_.workers[worker].speed;
      if (gives[worker]) {
        for (const auto& [rank, to] : choose_transfers(nodes_[worker], ranks[worker], excess, {seed_, 0})) {
          plan_[rank] = WorkerId{to};
        }
      }
    }
    return std::move(plan_);
  }

 private:
  // Nodes below the average start. A node that received something new sends what it knows in the next round.
  void propagate() {
    const auto count = static_cast<std::uint32_t>(seconds_.size());
    std::vector<bool> has_news(count);
    for (std::uint32_t worker = 0; worker < count; ++worker) {
      nodes_.push_back({worker, {}});
      if (seconds_[worker] < average_) {
        const double room = (kTolerance * average_ - seconds_[worker]) * instance_.workers[worker].speed;
        nodes_.back().known.push_back({worker, room});
        has_news[worker] = true;
      }
    }
    const auto rounds = static_cast<std::uint32_t>(std::bit_width(count)) + 1;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const std::vector<GossipNode> before = nodes_;
      std::vector<bool> news(count);
      for (std::uint32_t worker = 0; worker < count; ++worker) {
        if (has_news[worker]) {
          for (const std::uint32_t peer : gossip_peers({seed_, round}, worker, count, kFanout)) {
            news[peer] = merge(nodes_[peer], before[worker].known) || news[peer];
          }
        }
      }
      has_news = std::move(news);
    }
  }

  [[nodiscard]] std::vector<RanksByWork> ranks_of(const std::vector<bool>& gives) const {
    std::vector<RanksByWork> ranks(gives.size());
    for (std::uint32_t i = 0; i < plan_.size(); ++i) {
      const RankLoad& rank = instance_.ranks[i];
      if (rank.may_move && rank.seconds > 0.0 && gives[number(plan_[i])]) {
        ranks[number(plan_[i])].add(work_of(instance_, rank), i);
      }
    }
    for (RanksByWork& mine : ranks) {
      mine.sort();
    }
    return ranks;
  }

  const Instance& instance_;
  Plan plan_;
  std::uint64_t seed_;
  std::vector<double> seconds_;
  double average_ = 0.0;
  std::vector<GossipNode> nodes_;
};

}  // namespace

std::vector<std::uint32_t> gossip_peers(const GossipSeed& seed, std::uint32_t self, std::uint32_t nodes,
                                        std::uint32_t fanout) {
  std::vector<std::uint32_t> peers;
  for (std::uint32_t i = 0; nodes > 1 && i < fanout; ++i) {
    const std::uint64_t bits = mix(mix(mix(seed.seed) + seed.round) + (std::uint64_t{self} << 16U) + i);
    peers.push_back(static_cast<std::uint32_t>((self + 1 + bits % (nodes - 1)) % nodes));
  }
  return peers;
}

bool merge(GossipNode& node, std::span<const GossipNode::Known> received) {
  std::vector<GossipNode::Known> merged;
  merged.reserve(node.known.size() + received.size());
  std::set_union(node.known.begin(), node.known.end(), received.begin(), received.end(), std::back_inserter(merged),
                 [](const auto& a, const auto& b) { return a.node < b.node; });
  const bool news = merged.size() > node.known.size();
  node.known = std::move(merged);
  return news;
}

std::vector<Transfer> choose_transfers(GossipNode node, const RanksByWork& ranks, double excess,
                                       const GossipSeed& seed) {
  std::vector<Transfer> transfers;
  double room = 0.0;
  for (const auto& known : node.known) {
    room += known.room;
  }
  for (std::size_t at = 0; at < ranks.size() && excess > 0.0 && room > 0.0; ++at) {
    const auto [work, rank] = ranks[at];
    double draw = unit(mix(mix(seed.seed + node.self) + mix(seed.round) + rank)) * room;
    auto target = node.known.begin();
    while (target + 1 != node.known.end() && draw >= target->room) {
      draw -= target->room;
      ++target;
    }
    if (work <= target->room && work <= 2.0 * excess) {  // more would put the node further below the average than above
      transfers.push_back({rank, target->node});
      target->room -= work;
      room -= work;
      excess -= work;
    }
  }
  return transfers;
}

Plan Gossip::solve(const Instance& instance) const {
  check_instance(instance);
  Plan best = homes_of(instance);
  double least = longest_seconds(instance, best);
  Plan plan = best;
  for (std::uint32_t repeat = 0; repeat < kRepeats; ++repeat) {
    Plan next = GossipRun(instance, plan, mix(seed_) + repeat).run();
    if (next == plan) {
      break;
    }
    plan = std::move(next);
    if (const double longest = longest_seconds(instance, plan); longest < least) {
      least = longest;
      best = plan;
    }
  }
  return best;
}

}  // namespace weft::lb
