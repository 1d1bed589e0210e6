#include "runtime/location/balancing_worker.hpp"

#include <array>

#include "runtime/control/cluster.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/location/continuous_balancer.hpp"
#include "runtime/location/move.hpp"
#include "runtime/location/operations.hpp"
#include "runtime/setup/config.hpp"
#include "runtime/sync/arrival.hpp"
#include "runtime/sync/team.hpp"
#include "runtime/timeline/recorder.hpp"

namespace weft::runtime {
inline namespace location {
namespace {

constexpr int kMostExamined = 64;  // ranks of a ready queue that are looked at

bool may_move(const Rank& rank) { return rank.migratable && !rank.in_step && !rank.threads_have_called; }

// Ticks for which the rank runs at a time, on average.
std::uint64_t segment_of(const Rank& rank) {
  return rank.load.cycles.load(std::memory_order_relaxed) / (rank.load.switches.load(std::memory_order_relaxed) + 1);
}

// Whether a temporary move is worth its cost and the last one is long enough ago. `least_segment`: ticks for which the
// rank must run at a time.
bool may_move_temporarily(const Rank& rank, std::uint64_t now, std::uint64_t least_segment) {
  return may_move(rank) && segment_of(rank) >= least_segment && now - rank.moved_at >= 10 * least_segment;
}

}  // namespace

void BalancingWorker::attach(const JobContext& context, ContinuousBalancer* balancer) {
  balancer_ = balancer;
  workers_ = context.workers;
  global_number_ = context.cluster.first_worker(context.cluster.self()) + number(id());
  least_segment_ = static_cast<std::uint64_t>(context.config.lb_continuous_us * 1e-6 * ticks_per_second());
}

// Relaxed here and in claim_idle(): the flag only decides which thread claims the idle worker and guards no other data.
// The number of move requests may be a moment behind it.
void BalancingWorker::announce_idle() {
  balancer_->request_plan(ticks());
  if (!idle_.load(std::memory_order_relaxed)) {
    idle_.store(true, std::memory_order_relaxed);
    balancer_->add_move_request();
  }
}

bool BalancingWorker::claim_idle() {
  const bool mine = idle_.load(std::memory_order_relaxed) && idle_.exchange(false, std::memory_order_relaxed);
  if (mine) {
    balancer_->remove_move_request();
  }
  return mine;
}

// Another worker of the process; `distance` from 1, the next one, to workers().size() - 1.
BalancingWorker& BalancingWorker::neighbour(std::size_t distance) const {
  return of(*workers_[(number(id()) + distance) % workers_.size()]);
}

// Takes the last rank that may move, which would wait longest. The first of the queue stays: this worker is about to
// run it.
Rank* BalancingWorker::take_movable_rank(std::uint64_t now) {
  ExecutionContext* before = nullptr;  // the one in front of the rank that is found
  int examined = 0;
  for (ExecutionContext* rank = run_queue().first();
       rank != nullptr && rank->next != nullptr && examined < kMostExamined; rank = rank->next) {
    ++examined;
    const Rank& next = rank_of(*rank->next->owner);
    if (&next != running() && may_move_temporarily(next, now, least_segment_)) {
      before = rank;
    }
  }
  if (before == nullptr) {
    return nullptr;
  }
  Rank& found = rank_of(*run_queue().take_behind(before).owner);
  found.moved_at = now;
  return &found;
}

void BalancingWorker::give_planned_ranks() {
  ExecutionContext* before = nullptr;
  int examined = 0;
  for (ExecutionContext* context = run_queue().first(); context != nullptr && examined < kMostExamined; ++examined) {
    ExecutionContext* const after = context->next;
    Rank& rank = rank_of(*context->owner);
    const bool is_only = before == nullptr && after == nullptr;
    // A rank first runs here before it is given on, so that two workers do not pass it to and fro. One that was moved
    // here temporarily does not go back while it is all that is ready here.
    const bool goes = rank.target_worker.load(std::memory_order_relaxed) != Rank::kAnyWorker && &rank != running() &&
                      may_move(rank) && rank.load.switches.load(std::memory_order_relaxed) != rank.switches_at_move &&
                      !(rank.moved_temporarily && is_only);
    const std::uint32_t target = goes ? balancer_->take_target(rank) : Rank::kAnyWorker;
    const bool was_temporary = rank.moved_temporarily;
    rank.moved_temporarily = was_temporary && target == Rank::kAnyWorker;
    if (target == Rank::kAnyWorker || target == number(id())) {
      before = context;
    } else {
      if (!was_temporary) {
        ++balancer_->counts().planned_moves;
      }
      run_queue().take_behind(before);
      give_rank(*this, rank, *workers_[target]);
    }
    context = after;
  }
}

void BalancingWorker::give_ready_ranks() {
  if (!balancer_->has_move_requests()) [[likely]] {
    return;
  }
  const std::uint64_t now = ticks();
  if (now - last_give_attempt_ < least_segment_) {
    return;
  }
  last_give_attempt_ = now;
  // Reports arrivals at barriers. If the last member that they wait for on this worker moves away, this worker would
  // report them only when it has nothing else to run.
  run_deferred();
  give_planned_ranks();
  if (balancer_->moves_temporarily()) {
    move_temporarily();
  }
}

void BalancingWorker::move_temporarily() {
  for (std::size_t distance = 1; distance < workers_.size(); ++distance) {
    BalancingWorker& other = neighbour(distance);
    if (!other.idle_.load(std::memory_order_relaxed)) {
      continue;
    }
    Rank* const rank = take_movable_rank(last_give_attempt_);
    if (rank == nullptr) {
      return;
    }
    if (!other.claim_idle()) {
      make_ready(*rank);
      return;
    }
    if (balancer_->has_planned() && !rank->moved_temporarily) {
      rank->moved_temporarily = true;
      balancer_->set_target(*rank, number(id()));
    }
    ++balancer_->counts().temporary_moves;
    give_rank(*this, *rank, other);
  }
}

void BalancingWorker::expose(const ExecutionContext& next, const ExecutionContext& left) {
  if (!balancer_->moves_temporarily() || lock() != nullptr || segment_of(rank_of(*next.owner)) < least_segment_) {
    return;
  }
  run_deferred();  // as in give_ready_ranks()
  std::array<Rank*, StealSlots::kSlots> ranks{};
  std::size_t found = 0;
  ExecutionContext* before = nullptr;
  for (ExecutionContext* context = run_queue().first(); context != nullptr && found < ranks.size();) {
    ExecutionContext* const after = context->next;
    Rank& rank = rank_of(*context->owner);
    if (context != &left && may_move_temporarily(rank, running_since(), least_segment_) &&
        rank.target_worker.load(std::memory_order_relaxed) == Rank::kAnyWorker) {
      run_queue().take_behind(before);
      leave_worker(*this, rank);
      rank.last_event_at = recorder() != nullptr ? recorder()->last_time() : 0;
      ranks[found++] = &rank;
    } else {
      before = context;
    }
    context = after;
  }
  if (found != 0) {
    LocationOperations op(*this);
    location::expose(op, std::span<Rank* const>(ranks.data(), found));
    set_exposes(true);
  }
}

void BalancingWorker::withdraw_exposed() {
  set_exposes(false);
  LocationOperations op(*this);
  // From the last slot on: each rank goes to the front of the queue, which restores their order.
  for (std::size_t slot = StealSlots::kSlots; slot-- > 0;) {
    RankContext* const context = steal_slots_.withdraw(slot);
    if (context == nullptr) {
      continue;
    }
    Rank& rank = rank_of(*context);
    location::withdraw(op, rank);
    for (Team* const team : rank.teams) {
      team->count_member_on(*this);
    }
    run_queue().push_front(rank);
  }
}

bool BalancingWorker::steal() {
  if (lock() != nullptr || !balancer_->moves_temporarily()) {
    return false;
  }
  LocationOperations op(*this);
  for (std::size_t distance = 1; distance < workers_.size(); ++distance) {
    if (location::steal(op, neighbour(distance)) != nullptr) {
      ++balancer_->counts().steals;
      return true;
    }
  }
  return false;
}

}  // namespace location
}  // namespace weft::runtime
