#include "runtime/location/sharing_worker.hpp"

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

constexpr int kMostSeen = 64;  // ranks of a queue that are looked at

bool may_go(const Rank& rank) { return rank.migratable && !rank.in_step && !rank.threads_call; }

// Ticks that it runs at a time.
std::uint64_t segment_of(const Rank& rank) {
  return rank.load.cycles.load(std::memory_order_relaxed) / (rank.load.switches.load(std::memory_order_relaxed) + 1);
}

// Worth it, and not too soon again. `shortest`: ticks that it must run at a time.
bool may_move_temporarily(const Rank& rank, std::uint64_t now, std::uint64_t shortest) {
  return may_go(rank) && segment_of(rank) >= shortest && now - rank.given_at >= 10 * shortest;
}

}  // namespace

void SharingWorker::serve(const JobContext& context, ContinuousBalancer* balancer) {
  balancer_ = balancer;
  workers_ = context.workers;
  global_number_ = context.cluster.first_worker(context.cluster.self()) + number(id());
  shortest_ = static_cast<std::uint64_t>(context.config.share_us * 1e-6 * ticks_per_second());
}

// Relaxed here and in claim_idle(): only who claims an idle worker matters, and nothing that it reads hangs on it. The
// count may be a moment behind.
void SharingWorker::mark_idle() {
  balancer_->ask(ticks());
  if (!idle_.load(std::memory_order_relaxed)) {
    idle_.store(true, std::memory_order_relaxed);
    balancer_->add_reason_to_share();
  }
}

bool SharingWorker::claim_idle() {
  const bool mine = idle_.load(std::memory_order_relaxed) && idle_.exchange(false, std::memory_order_relaxed);
  if (mine) {
    balancer_->remove_reason_to_share();
  }
  return mine;
}

// The other workers of the process, from the next one on: 1 to workers().size() - 1.
SharingWorker& SharingWorker::neighbour(std::size_t distance) const {
  return of(*workers_[(number(id()) + distance) % workers_.size()]);
}

// One that is far back in the queue and would wait longest. The first stays: this worker is about to run it.
Rank* SharingWorker::spare_rank(std::uint64_t now) {
  ExecutionContext* before = nullptr;  // of the one that is found
  int seen = 0;
  for (ExecutionContext* rank = run_queue().first(); rank != nullptr && rank->next != nullptr && seen < kMostSeen;
       rank = rank->next) {
    ++seen;
    const Rank& next = rank_of(*rank->next->owner);
    if (&next != running() && may_move_temporarily(next, now, shortest_)) {
      before = rank;
    }
  }
  if (before == nullptr) {
    return nullptr;
  }
  Rank& found = rank_of(*run_queue().take_behind(before).owner);
  found.given_at = now;
  return &found;
}

void SharingWorker::give_as_planned() {
  ExecutionContext* before = nullptr;
  int seen = 0;
  for (ExecutionContext* context = run_queue().first(); context != nullptr && seen < kMostSeen; ++seen) {
    ExecutionContext* const after = context->next;
    Rank& rank = rank_of(*context->owner);
    const bool is_only = before == nullptr && after == nullptr;
    const bool goes = rank.planned.load(std::memory_order_relaxed) != Rank::kAnyWorker && &rank != running() &&
                      may_go(rank) && rank.load.switches.load(std::memory_order_relaxed) != rank.given_switches &&
                      !(rank.moved_temporarily && is_only);
    const std::uint32_t target = goes ? balancer_->take_target(rank) : Rank::kAnyWorker;
    const bool was_temporary = rank.moved_temporarily;
    rank.moved_temporarily = was_temporary && target == Rank::kAnyWorker;
    if (target == Rank::kAnyWorker || target == number(id())) {
      before = context;
    } else {
      if (!was_temporary) {
        ++balancer_->counts().placed;
      }
      run_queue().take_behind(before);
      give_rank(*this, rank, *workers_[target]);
    }
    context = after;
  }
}

void SharingWorker::share() {
  if (!balancer_->has_reasons_to_share()) [[likely]] {
    return;
  }
  const std::uint64_t now = ticks();
  if (now - tried_to_share_ < shortest_) {
    return;
  }
  tried_to_share_ = now;
  run_deferred();  // nobody looks at them again when the rank that they wait for goes
  give_as_planned();
  if (balancer_->moves_temporarily()) {
    move_temporarily();
  }
}

void SharingWorker::move_temporarily() {
  for (std::size_t distance = 1; distance < workers_.size(); ++distance) {
    SharingWorker& other = neighbour(distance);
    if (!other.idle_.load(std::memory_order_relaxed)) {
      continue;
    }
    Rank* const rank = spare_rank(tried_to_share_);
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
    ++balancer_->counts().temporary;
    give_rank(*this, *rank, other);
  }
}

void SharingWorker::expose(const ExecutionContext& next, const ExecutionContext& left) {
  if (!balancer_->moves_temporarily() || lock() != nullptr || segment_of(rank_of(*next.owner)) < shortest_) {
    return;
  }
  run_deferred();  // as in share()
  std::array<Rank*, StealSlots::kSlots> ranks{};
  std::size_t found = 0;
  ExecutionContext* before = nullptr;
  for (ExecutionContext* context = run_queue().first(); context != nullptr && found < ranks.size();) {
    ExecutionContext* const after = context->next;
    Rank& rank = rank_of(*context->owner);
    if (context != &left && may_move_temporarily(rank, running_since(), shortest_) &&
        rank.planned.load(std::memory_order_relaxed) == Rank::kAnyWorker) {
      run_queue().take_behind(before);
      leave_worker(*this, rank);
      rank.recorded_at = recorder() != nullptr ? recorder()->last_time() : 0;
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

void SharingWorker::withdraw_exposed() {
  set_exposes(false);
  LocationOperations op(*this);
  for (std::size_t slot = StealSlots::kSlots; slot-- > 0;) {
    RankContext* const context = steal_slots_.withdraw(slot);
    if (context == nullptr) {
      continue;
    }
    Rank& rank = rank_of(*context);
    location::withdraw(op, rank);
    for (Team* const team : rank.teams) {
      team->joins(*this);
    }
    run_queue().push_front(rank);
  }
}

bool SharingWorker::steal() {
  if (lock() != nullptr || !balancer_->moves_temporarily()) {
    return false;
  }
  LocationOperations op(*this);
  for (std::size_t distance = 1; distance < workers_.size(); ++distance) {
    if (location::steal(op, neighbour(distance)) != nullptr) {
      ++balancer_->counts().stolen;
      return true;
    }
  }
  return false;
}

}  // namespace location
}  // namespace weft::runtime
