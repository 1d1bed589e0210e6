#include "lb/refine.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

#include "lb/loads.hpp"
#include "lb/ranks_by_work.hpp"
#include "lb/receivers.hpp"

namespace weft::lb {
namespace {

class Refinement {
 public:
  // Workers at or below `lowest_limit` never give.
  Refinement(const Instance& instance, double lowest_limit)
      : instance_(instance), homes_(homes_of(instance)), at_home_(worker_seconds(instance, homes_)) {
    std::vector<bool> gives(at_home_.size());
    for (std::size_t worker = 0; worker < gives.size(); ++worker) {
      gives[worker] = at_home_[worker] > lowest_limit;
    }
    ranks_ = ranks_by_work(instance, gives);
    has_ranks_.resize(gives.size());
    for (const WorkerId home : homes_) {
      has_ranks_[number(home)] = true;
    }
  }

  // Returns false if a worker stays above the limit. Raises the limit where needed if `may_rise`.
  bool run(double limit, bool may_rise);
  Plan plan() && { return std::move(plan_); }

 private:
  using Donor = std::pair<double, std::uint32_t>;  // seconds, worker
  struct HighestFirst {
    bool operator()(const Donor& a, const Donor& b) const {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    }
  };

  void start(double limit);
  void find_receivers();
  [[nodiscard]] double room(std::uint32_t worker) const {
    return (limit_ - seconds_[worker]) * instance_.workers[worker].speed;
  }
  std::size_t choose(std::uint32_t donor, double room);
  void move(std::uint32_t donor, std::size_t position);
  bool raise(std::uint32_t donor);

  const Instance& instance_;
  Plan homes_;
  std::vector<double> at_home_;
  std::vector<RanksByWork> ranks_;
  std::vector<bool> has_ranks_;

  double limit_ = 0.0;
  Plan plan_;
  std::vector<double> seconds_;
  std::priority_queue<Donor, std::vector<Donor>, HighestFirst> donors_;
  Receivers receivers_;
};

void Refinement::start(double limit) {
  limit_ = limit;
  plan_ = homes_;
  seconds_ = at_home_;
  donors_ = {};
  for (std::uint32_t worker = 0; worker < seconds_.size(); ++worker) {
    if (seconds_[worker] > limit && has_ranks_[worker]) {
      donors_.emplace(seconds_[worker], worker);
      ranks_[worker].restore();
    }
  }
  find_receivers();
}

void Refinement::find_receivers() {
  receivers_.clear();
  for (std::uint32_t worker = 0; worker < seconds_.size(); ++worker) {
    receivers_.add(worker, room(worker));
  }
}

bool Refinement::run(double limit, bool may_rise) {
  start(limit);
  while (!donors_.empty()) {
    const std::uint32_t donor = donors_.top().second;
    if (seconds_[donor] <= limit_) {  // the limit has risen
      return true;
    }
    const std::size_t position = receivers_.empty() ? RanksByWork::kNone : choose(donor, receivers_.top().room);
    if (position != RanksByWork::kNone) {
      move(donor, position);
    } else if (!may_rise || !raise(donor)) {
      return false;
    }
  }
  return true;
}

std::size_t Refinement::choose(std::uint32_t donor, double room) {
  RanksByWork& ranks = ranks_[donor];
  const double excess = -this->room(donor);
  const std::size_t enough = ranks.smallest_from(excess);
  return enough != RanksByWork::kNone && ranks[enough].work <= room ? enough : ranks.largest_up_to(room);
}

void Refinement::move(std::uint32_t donor, std::size_t position) {
  const auto [work, rank] = ranks_[donor][position];
  const std::uint32_t receiver = receivers_.top().worker;
  ranks_[donor].remove(position);
  plan_[rank] = WorkerId{receiver};
  seconds_[donor] -= work / instance_.workers[donor].speed;
  seconds_[receiver] += work / instance_.workers[receiver].speed;
  receivers_.pop();
  receivers_.add(receiver, room(receiver));
  donors_.pop();
  if (seconds_[donor] > limit_) {
    donors_.emplace(seconds_[donor], donor);
  } else {
    receivers_.add(donor, room(donor));
  }
}

// Raises the limit to the lowest that moving the donor's smallest rank can reach, but at least by a minimum step, so
// that the loop ends soon.
bool Refinement::raise(std::uint32_t donor) {
  constexpr double kStep = 1.01;
  const std::size_t smallest = ranks_[donor].smallest();
  if (smallest == RanksByWork::kNone) {
    return false;
  }
  const double work = ranks_[donor][smallest].work;
  double reach = std::numeric_limits<double>::max();
  for (std::uint32_t worker = 0; worker < seconds_.size(); ++worker) {
    if (worker != donor) {
      reach = std::min(reach, seconds_[worker] + work / instance_.workers[worker].speed);
    }
  }
  // Rounding errors of sums must not count as a gain.
  constexpr double kNoise = 1e-9;
  if (reach >= seconds_[donor] * (1.0 - kNoise)) {
    return false;
  }
  limit_ = std::max(reach * (1.0 + kNoise), std::min(limit_ * kStep, (reach + seconds_[donor]) / 2.0));
  find_receivers();
  return true;
}

}  // namespace

Plan Refine::solve(const Instance& instance) const {
  check_instance(instance);
  const double limit = tolerance_ * ideal_seconds(instance);
  Refinement refinement(instance, limit);
  refinement.run(limit, true);
  return std::move(refinement).plan();
}

Plan RefineBisect::solve(const Instance& instance) const {
  check_instance(instance);
  const double ideal = ideal_seconds(instance);
  const double longest = longest_seconds(instance, homes_of(instance));
  if (longest <= ideal * (1.0 + step_)) {
    return homes_of(instance);
  }
  Refinement refinement(instance, ideal);
  // Refinement to the longest worker's seconds moves nothing and succeeds.
  double kept = longest;
  double missed = ideal;
  while (kept - missed > step_ * kept) {
    const double middle = (kept + missed) / 2.0;
    (refinement.run(middle, false) ? kept : missed) = middle;
  }
  refinement.run(kept, false);
  return std::move(refinement).plan();
}

}  // namespace weft::lb
