#include "lb/greedy.hpp"

#include <algorithm>
#include <utility>

#include "lb/loads.hpp"

namespace weft::lb {
namespace {

struct Item {
  double work;
  std::uint32_t rank;
};

// The ranks that may move, longest first; equal ones in their order.
std::vector<Item> longest_first(const Instance& instance) {
  std::vector<Item> order;
  for (std::uint32_t i = 0; i < instance.ranks.size(); ++i) {
    if (instance.ranks[i].may_move) {
      order.push_back({work_of(instance, instance.ranks[i]), i});
    }
  }
  std::stable_sort(order.begin(), order.end(), [](const Item& a, const Item& b) { return a.work > b.work; });
  return order;
}

// Workers in groups of equal speed, each a heap with the least loaded worker first; the heap position of each worker is
// known, so that its load can be changed.
class Bins {
 public:
  Bins(std::vector<double> seconds, const Instance& instance) : seconds_(std::move(seconds)) {
    place_.resize(seconds_.size());
    std::vector<std::uint32_t> order(seconds_.size());
    for (std::uint32_t worker = 0; worker < order.size(); ++worker) {
      order[worker] = worker;
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return instance.workers[a].speed > instance.workers[b].speed; });
    for (const std::uint32_t worker : order) {
      const double speed = instance.workers[worker].speed;
      if (groups_.empty() || groups_.back().speed != speed) {
        groups_.push_back({speed, {}});
      }
      place_[worker] = {groups_.size() - 1, groups_.back().heap.size()};
      groups_.back().heap.push_back(worker);
      up(groups_.back().heap, groups_.back().heap.size() - 1);
    }
  }

  [[nodiscard]] double seconds(std::uint32_t worker) const { return seconds_[worker]; }

  // The worker on which that work ends first: one of its group's least loaded. Ties go to the faster, then the lowest.
  [[nodiscard]] std::uint32_t best(double work) const {
    std::uint32_t best = groups_.front().heap.front();
    double end = seconds_[best] + work / groups_.front().speed;
    for (const Group& group : groups_) {
      const double here = seconds_[group.heap.front()] + work / group.speed;
      if (here < end) {
        end = here;
        best = group.heap.front();
      }
    }
    return best;
  }

  void add(std::uint32_t worker, double seconds) {
    seconds_[worker] += seconds;
    down(groups_[place_[worker].group].heap, place_[worker].at);
  }

 private:
  using Heap = std::vector<std::uint32_t>;
  struct Group {
    double speed;
    Heap heap;
  };
  struct Spot {
    std::size_t group;
    std::size_t at;
  };

  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const {
    return seconds_[a] != seconds_[b] ? seconds_[a] < seconds_[b] : a < b;
  }
  void swap(Heap& heap, std::size_t a, std::size_t b) {
    std::swap(heap[a], heap[b]);
    std::swap(place_[heap[a]].at, place_[heap[b]].at);
  }
  void up(Heap& heap, std::size_t at) {
    for (; at > 0 && before(heap[at], heap[(at - 1) / 2]); at = (at - 1) / 2) {
      swap(heap, at, (at - 1) / 2);
    }
  }
  void down(Heap& heap, std::size_t at) {
    for (;;) {
      std::size_t least = at;
      for (const std::size_t child : {2 * at + 1, 2 * at + 2}) {
        least = child < heap.size() && before(heap[child], heap[least]) ? child : least;
      }
      if (least == at) {
        return;
      }
      swap(heap, at, least);
      at = least;
    }
  }

  std::vector<double> seconds_;
  std::vector<Spot> place_;  // by worker
  std::vector<Group> groups_;
};

}  // namespace

Plan list_schedule(const Instance& instance, double stay_seconds) {
  check_instance(instance);
  Plan plan = homes_of(instance);
  Bins bins(fixed_seconds(instance), instance);
  for (const auto& [work, rank] : longest_first(instance)) {
    const std::uint32_t home = number(plan[rank]);
    const bool stays = bins.seconds(home) + work / instance.workers[home].speed <= stay_seconds;
    const std::uint32_t worker = stays ? home : bins.best(work);
    plan[rank] = WorkerId{worker};
    bins.add(worker, work / instance.workers[worker].speed);
  }
  return plan;
}

Plan Greedy::solve(const Instance& instance) const { return not_worse(instance, list_schedule(instance, -1.0)); }

}  // namespace weft::lb
