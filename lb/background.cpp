#include "lb/background.hpp"

#include <queue>
#include <utility>

#include "lb/loads.hpp"
#include "lb/ranks_by_work.hpp"
#include "lb/receivers.hpp"

namespace weft::lb {
namespace {

// Equation 1. With unequal speeds, seconds are weighted by their worker's speed.
double average_seconds(const Instance& instance, const std::vector<double>& seconds) {
  double work = 0.0;
  double speed = 0.0;
  for (std::size_t worker = 0; worker < seconds.size(); ++worker) {
    work += seconds[worker] * instance.workers[worker].speed;
    speed += instance.workers[worker].speed;
  }
  return work / speed;
}

class Cores {
 public:
  Cores(const Instance& instance, double eps)
      : instance_(instance), plan_(homes_of(instance)), seconds_(worker_seconds(instance, plan_)) {
    average_ = average_seconds(instance, seconds_);
    eps_ = eps * average_;
    std::vector<bool> heavy(seconds_.size());
    for (std::uint32_t core = 0; core < seconds_.size(); ++core) {  // lines 2-8
      heavy[core] = is_heavy(core);
      classify(core);
    }
    ranks_ = ranks_by_work(instance, heavy);
  }

  Plan balance() && {
    while (!over_heap_.empty()) {  // lines 10-15
      const std::uint32_t donor = over_heap_.top().second;
      over_heap_.pop();
      give_rank(donor);
    }
    return std::move(plan_);
  }

 private:
  // Lines 17-27.
  [[nodiscard]] bool is_heavy(std::uint32_t core) const { return seconds_[core] - average_ > eps_; }

  void classify(std::uint32_t core) {
    if (is_heavy(core)) {
      over_heap_.emplace(seconds_[core], ~core);
    } else {
      // The room is what the core can take without becoming heavy. The paper's underSet (lines 29-39) ends at T_avg -
      // eps. Cores between T_avg - eps and T_avg + eps are included here, after all light ones: without them a heavy
      // core could not give to many cores just above T_avg - eps.
      under_set_.add(core, (average_ + eps_ - seconds_[core]) * instance_.workers[core].speed);
    }
  }

  // Lines 12-14: moves the largest task that fits to the core with the most room.
  void give_rank(std::uint32_t flipped_donor) {
    const std::uint32_t donor = ~flipped_donor;
    if (under_set_.empty()) {
      return;
    }
    const auto [room, core] = under_set_.top();
    const std::size_t position = ranks_[donor].largest_up_to(room);
    if (position == RanksByWork::kNone) {
      return;
    }
    const auto [work, rank] = ranks_[donor][position];
    ranks_[donor].remove(position);
    plan_[rank] = WorkerId{core};
    seconds_[donor] -= work / instance_.workers[donor].speed;
    seconds_[core] += work / instance_.workers[core].speed;
    under_set_.pop();
    classify(core);
    classify(donor);
  }

  const Instance& instance_;
  Plan plan_;
  std::vector<double> seconds_;
  double average_ = 0.0;
  double eps_ = 0.0;
  std::vector<RanksByWork> ranks_;
  std::priority_queue<std::pair<double, std::uint32_t>> over_heap_;  // ~core: ties go to the lowest
  Receivers under_set_;
};

}  // namespace

Plan Background::solve(const Instance& instance) const {
  check_instance(instance);
  return not_worse(instance, Cores(instance, eps_).balance());
}

}  // namespace weft::lb
