#include "lb/hierarchy.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "lb/loads.hpp"

namespace weft::lb {
namespace {

void add_traffic(std::vector<Traffic>& sums, std::span<const Traffic> more) {
  for (const Traffic& traffic : more) {
    const auto at = std::lower_bound(sums.begin(), sums.end(), traffic.process,
                                     [](const Traffic& sum, std::uint32_t process) { return sum.process < process; });
    if (at != sums.end() && at->process == traffic.process) {
      at->messages += traffic.messages;
      at->bytes += traffic.bytes;
    } else {
      sums.insert(at, traffic);
    }
  }
}

// Fills bundle after bundle up to an equal share of the work.
class Bundler {
 public:
  Bundler(double work, std::size_t items, std::size_t count)
      : share_(items > count ? work / static_cast<double>(count) : 0.0), count_(count) {}

  void add(double work, std::uint64_t bytes, std::span<const Traffic> traffic, std::uint32_t position) {
    if (bundles_.empty() || (bundles_.size() < count_ && bundles_.back().work + work / 2.0 > share_)) {
      bundles_.emplace_back().first = position;
    }
    Bundle& bundle = bundles_.back();
    bundle.work += work;
    bundle.bytes += bytes;
    bundle.end = position + 1;
    add_traffic(bundle.traffic, traffic);
  }
  std::vector<Bundle> bundles() && { return std::move(bundles_); }

 private:
  double share_;
  std::size_t count_;
  std::vector<Bundle> bundles_;
};

}  // namespace

Summary summarize(const ProcessLoad& process, std::size_t count) {
  Summary summary;
  summary.place = process.place;
  for (const WorkerLoad& worker : process.instance.workers) {
    summary.speed += worker.speed;
    summary.fixed_work += worker.background_seconds * worker.speed;
  }
  double work = 0.0;
  std::size_t movable = 0;
  for (const RankLoad& rank : process.instance.ranks) {
    (rank.may_move ? work : summary.fixed_work) += work_of(process.instance, rank);
    movable += rank.may_move ? 1 : 0;
  }
  Bundler bundler(work, movable, count);
  for (std::uint32_t i = 0; i < process.instance.ranks.size(); ++i) {
    const RankLoad& rank = process.instance.ranks[i];
    if (rank.may_move) {
      const auto traffic = process.outward.empty() ? std::span<const Traffic>() : std::span(process.outward[i]);
      bundler.add(work_of(process.instance, rank), rank.bytes, traffic, i);
    }
  }
  summary.bundles = std::move(bundler).bundles();
  return summary;
}

Summary summarize(std::span<const Summary> children, std::size_t count) {
  Summary summary;
  summary.place = children.front().place;
  double work = 0.0;
  std::size_t items = 0;
  for (const Summary& child : children) {
    summary.speed += child.speed;
    summary.fixed_work += child.fixed_work;
    items += child.bundles.size();
    for (const Bundle& bundle : child.bundles) {
      work += bundle.work;
    }
  }
  Bundler bundler(work, items, count);
  std::uint32_t position = 0;
  for (const Summary& child : children) {
    for (const Bundle& bundle : child.bundles) {
      bundler.add(bundle.work, bundle.bytes, bundle.traffic, position++);
    }
  }
  summary.bundles = std::move(bundler).bundles();
  return summary;
}

Assignment assign(const Strategy& strategy, std::span<const Summary> children, const Instance& costs,
                  std::span<const std::uint32_t> traffic_child) {
  Instance instance;
  instance.links = costs.links;
  instance.seconds_per_move = costs.seconds_per_move;
  instance.seconds_per_moved_byte = costs.seconds_per_moved_byte;
  const auto rank_of = [](std::size_t i) { return RankId{static_cast<std::uint32_t>(i)}; };
  for (std::uint32_t child = 0; child < children.size(); ++child) {
    const Summary& summary = children[child];
    instance.workers.push_back({summary.speed, summary.fixed_work / summary.speed, {child, child, summary.place.host}});
    for (const Bundle& bundle : summary.bundles) {
      instance.ranks.push_back(
          {rank_of(instance.ranks.size()), WorkerId{child}, bundle.work / summary.speed, bundle.bytes, true});
    }
  }
  // Where a process's ranks end up is not known here; that they mostly stay is: each child has a rank without load that
  // stands for all that talk to it.
  const auto first_anchor = static_cast<std::uint32_t>(instance.ranks.size());
  for (std::uint32_t child = 0; child < children.size(); ++child) {
    instance.ranks.push_back({rank_of(instance.ranks.size()), WorkerId{child}, 0.0, 0, false});
  }
  std::uint32_t from = 0;
  for (const Summary& summary : children) {
    for (const Bundle& bundle : summary.bundles) {
      for (const Traffic& traffic : bundle.traffic) {
        if (traffic_child[traffic.process] < children.size()) {
          instance.edges.push_back(
              {from, first_anchor + traffic_child[traffic.process], traffic.messages, traffic.bytes});
        }
      }
      ++from;
    }
  }
  const Plan plan = strategy.solve(instance);
  Assignment assignment;
  auto next = plan.begin();
  for (const Summary& summary : children) {
    auto& mine = assignment.emplace_back();
    for (std::size_t i = 0; i < summary.bundles.size(); ++i) {
      mine.push_back(number(*next++));
    }
  }
  return assignment;
}

void take_in(Instance& process, std::span<const RankLoad> arrivals, std::span<const double> work) {
  const std::vector<double> seconds = worker_seconds(process, homes_of(process));
  using Worker = std::pair<double, std::uint32_t>;  // seconds, number
  std::priority_queue<Worker, std::vector<Worker>, std::greater<>> lightest;
  for (std::uint32_t worker = 0; worker < seconds.size(); ++worker) {
    lightest.emplace(seconds[worker], worker);
  }
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const auto [before, worker] = lightest.top();
    RankLoad& rank = process.ranks.emplace_back(arrivals[i]);
    rank.home = WorkerId{worker};
    rank.seconds = work[i] / process.workers[worker].speed;
    lightest.pop();
    lightest.emplace(before + rank.seconds, worker);
  }
}

}  // namespace weft::lb
