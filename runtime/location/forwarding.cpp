#include "runtime/location/forwarding.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "runtime/job/job.hpp"
#include "runtime/location/continuous_balancer.hpp"
#include "runtime/location/sharing_worker.hpp"
#include "runtime/p2p/envelope.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sync/arrival.hpp"
#include "runtime/sync/team.hpp"
#include "runtime/timeline/recorder.hpp"

namespace weft::runtime {

// A rank on its way from one worker to another. Other workers may have read the old place and be about to push a
// message to its inbox. So the old worker sends an item through every other worker's inbox and back: what they pushed
// before is in front of it and has been sent on to the new worker by then. The new worker hears of that last.
struct Forwarding {
  struct Fence : InboxItem {
    Forwarding* handover = nullptr;
  };

  Rank& rank;
  Worker& from;
  Worker& to;
  std::size_t missing = 0;  // fences that have not come back; the old worker's
  std::vector<Fence> fences;
  Fence settled;
};

namespace {

Forwarding& handover_of(InboxItem& item) { return *static_cast<Forwarding::Fence&>(item).handover; }

void arrive(Worker& worker, InboxItem& item) {
  arrive_at_worker(worker, rank_of(*static_cast<OwnedItem<RankContext>&>(item).owner));
}

void end_settling(Worker& worker, InboxItem& item) {
  const std::unique_ptr<Forwarding> ends(&handover_of(item));
  Rank& rank = ends->rank;
  rank.is_forwarded.store(false, std::memory_order_relaxed);
  for (Envelope* const message : std::exchange(rank.deferred, {})) {
    deliver_message(worker, *message);
  }
}

void say_settled(Forwarding& handover) {
  handover.settled.deliver = &end_settling;
  handover.settled.handover = &handover;
  handover.to.inbox().push(handover.settled);
}

void come_back(Worker& /*worker*/, InboxItem& item) {
  Forwarding& handover = handover_of(item);
  if (--handover.missing == 0) {
    say_settled(handover);
  }
}

void pass_on(Worker& /*worker*/, InboxItem& item) {
  item.deliver = &come_back;
  handover_of(item).from.inbox().push(item);
}

// To all other workers but `informed`, which sends nothing to the old place any more.
void send_fences(Forwarding& handover, const Worker* informed) {
  Job& job = handover.rank.job;
  handover.fences.resize(job.worker_count());
  for (std::uint32_t w = 0; w < job.worker_count(); ++w) {
    Worker& worker = job.worker(w);
    if (&worker != &handover.from && &worker != informed) {
      ++handover.missing;
      handover.fences[w].deliver = &pass_on;
      handover.fences[w].handover = &handover;
      worker.inbox().push(handover.fences[w]);
    }
  }
}

// On the worker that exposed the rank, once it has delivered what was in its inbox when it saw that another had it.
void end_stolen_forwarding(Forwarding& handover) {
  send_fences(handover, &handover.to);
  if (handover.missing == 0) {
    say_settled(handover);
  }
}

}  // namespace

void SharingWorker::mark_idle() {
  job_.placing()->ask(ticks());
  if (!idle_.load(std::memory_order_relaxed)) {
    idle_.store(true, std::memory_order_release);
    job_.reasons_to_share.fetch_add(1, std::memory_order_release);
  }
}

bool SharingWorker::claim_idle() {
  const bool mine = idle_.load(std::memory_order_relaxed) && idle_.exchange(false, std::memory_order_acq_rel);
  if (mine) {
    job_.reasons_to_share.fetch_sub(1, std::memory_order_relaxed);
  }
  return mine;
}

namespace {

constexpr int kMostSeen = 64;  // ranks of a queue that are looked at

bool may_go(const Rank& rank) {
  return rank.migratable && !rank.in_step && !rank.threads_call && !rank.is_forwarded.load(std::memory_order_relaxed);
}

// Ticks that it runs at a time.
std::uint64_t segment_of(const Rank& rank) {
  return rank.load.cycles.load(std::memory_order_relaxed) / (rank.load.switches.load(std::memory_order_relaxed) + 1);
}

// Worth it, and not too soon again. `shortest`: ticks that it must run at a time.
bool may_be_lent(const Rank& rank, std::uint64_t now, std::uint64_t shortest) {
  return may_go(rank) && segment_of(rank) >= shortest && now - rank.given_at >= 10 * shortest;
}

std::uint64_t shortest_of(const Job& job) {
  return static_cast<std::uint64_t>(job.config().share_us * 1e-6 * ticks_per_second());
}

}  // namespace

// One that is far back in the queue and would wait longest. The first stays: this worker is about to run it.
Rank* SharingWorker::spare_rank(std::uint64_t now, std::uint64_t shortest) {
  ExecutionContext* before = nullptr;  // of the one that is found
  int seen = 0;
  for (ExecutionContext* rank = run_queue().first(); rank != nullptr && rank->next != nullptr && seen < kMostSeen;
       rank = rank->next) {
    ++seen;
    const Rank& next = rank_of(*rank->next->owner);
    if (&next != running() && may_be_lent(next, now, shortest)) {
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
                      !(rank.lent && is_only);
    const std::uint32_t place = goes ? ContinuousBalancer::take(rank) : Rank::kAnyWorker;
    const bool was_lent = rank.lent;
    rank.lent = was_lent && place == Rank::kAnyWorker;
    if (place == Rank::kAnyWorker || place == number(id())) {
      before = context;
    } else {
      if (!was_lent) {
        ++job_.placing()->counts().placed;
      }
      run_queue().take_behind(before);
      give(*this, rank, job_.worker(place));
    }
    context = after;
  }
}

void SharingWorker::share() {
  if (job_.reasons_to_share.load(std::memory_order_relaxed) == 0) [[likely]] {
    return;
  }
  const std::uint64_t now = ticks();
  const std::uint64_t shortest = shortest_of(job_);
  if (now - tried_to_share_ < shortest) {
    return;
  }
  tried_to_share_ = now;
  run_deferred();  // nobody looks at them again when the rank that they wait for goes
  give_as_planned();
  if (!job_.placing()->lends()) {
    return;
  }
  for (std::uint32_t i = 1; i < job_.worker_count(); ++i) {
    SharingWorker& other = of(job_.worker((number(id()) + i) % job_.worker_count()));
    if (!other.idle_.load(std::memory_order_relaxed)) {
      continue;
    }
    Rank* const rank = spare_rank(now, shortest);
    if (rank == nullptr) {
      return;
    }
    if (!other.claim_idle()) {
      make_ready(*rank);
      return;
    }
    if (job_.placing()->has_planned() && !rank->lent) {
      rank->lent = true;
      ContinuousBalancer::wish(*rank, number(id()));
    }
    ++job_.placing()->counts().lent;
    give(*this, *rank, other);
  }
}

void SharingWorker::expose(const ExecutionContext& next, const ExecutionContext& left) {
  const std::uint64_t shortest = shortest_of(job_);
  if (!job_.placing()->lends() || lock() != nullptr || segment_of(rank_of(*next.owner)) < shortest) {
    return;
  }
  run_deferred();  // as in share()
  ExecutionContext* before = nullptr;
  std::size_t place = 0;
  for (ExecutionContext* context = run_queue().first(); context != nullptr && place < StealSlots::kPlaces;) {
    ExecutionContext* const after = context->next;
    Rank& rank = rank_of(*context->owner);
    if (context != &left && may_be_lent(rank, running_since(), shortest) &&
        rank.planned.load(std::memory_order_relaxed) == Rank::kAnyWorker) {
      run_queue().take_behind(before);
      leave_worker(*this, rank);
      rank.is_forwarded.store(true, std::memory_order_relaxed);  // nobody here touches it any more
      rank.recorded_at = recorder() != nullptr ? recorder()->last_time() : 0;
      steal_slots_.lay(place++, rank);
    } else {
      before = context;
    }
    context = after;
  }
  set_exposes(place != 0);
}

void SharingWorker::withdraw_exposed() {
  set_exposes(false);
  for (std::size_t place = StealSlots::kPlaces; place-- > 0;) {
    const auto [context, taken, taker] = steal_slots_.clear(place);
    if (context == nullptr) {
      continue;
    }
    Rank* const rank = &rank_of(*context);
    if (taken) {
      Worker& to = job_.worker(taker);
      rank->worker.store(&to, std::memory_order_release);  // it may be about to do so itself
      taken_.push_back(new Forwarding{*rank, *this, to, 0, {}, {}});
      continue;
    }
    rank->is_forwarded.store(false, std::memory_order_relaxed);
    for (Team* const team : rank->teams) {
      team->joins(*this);
    }
    run_queue().push_front(*rank);
  }
}

void SharingWorker::inbox_emptied() {
  for (Forwarding* const stolen : std::exchange(taken_, {})) {
    end_stolen_forwarding(*stolen);
  }
}

bool SharingWorker::steal() {
  if (lock() != nullptr || !job_.placing()->lends()) {
    return false;
  }
  for (std::uint32_t i = 1; i < job_.worker_count(); ++i) {
    SharingWorker& other = of(job_.worker((number(id()) + i) % job_.worker_count()));
    RankContext* const stolen = other.steal_slots_.take(number(id()));
    if (stolen != nullptr) {
      Rank* const rank = &rank_of(*stolen);
      rank->given_at = ticks();
      rank->given_switches = rank->load.switches.load(std::memory_order_relaxed);
      // Messages come here from now on. Pairs with the acquire in start_send().
      rank->worker.store(this, std::memory_order_release);
      if (recorder() != nullptr) {
        recorder()->takes(rank->id, job_.global_number(other), rank->recorded_at);
      }
      ++job_.placing()->counts().taken;
      deliver_inbox();  // what it has sent here before: to ranks of this worker it now sends past the inbox
      arrive_at_worker(*this, *rank);
      return true;
    }
  }
  return false;
}

void give(Worker& from, Rank& rank, Worker& to) {
  leave_worker(from, rank);
  rank.state = Rank::State::moving;
  rank.given_switches = rank.load.switches.load(std::memory_order_relaxed);
  rank.is_forwarded.store(true, std::memory_order_relaxed);
  // Messages go there from now on. Pairs with the acquire in start_send().
  rank.worker.store(&to, std::memory_order_release);
  if (from.recorder() != nullptr) {
    from.recorder()->moves(rank.id, rank.job.global_number(to));
  }
  rank.hand_over.deliver = &arrive;
  to.inbox().push(rank.hand_over);
  send_fences(*new Forwarding{rank, from, to, 0, {}, {}}, nullptr);
}

namespace {

// Nobody stands on the rank's stack any more: it goes to its next worker.
void hand_to_next_worker(Worker& here, RankContext& context) {
  Rank& rank = rank_of(context);
  Worker& target = *rank.goes_to;
  rank.hand_over.deliver = &arrive;
  if (here.recorder() != nullptr) {
    here.recorder()->moves(rank.id, rank.job.global_number(target));
  }
  // From here on messages for the rank go to its new worker. Pairs with the acquire in start_send().
  rank.worker.store(&target, std::memory_order_release);
  target.inbox().push(rank.hand_over);
}

}  // namespace

void move_to(Rank& me, Worker& target) {
  Worker& here = *Worker::current();
  leave_worker(here, me);
  me.goes_to = &target;
  here.leave(me, &hand_to_next_worker);
}

void settle(Rank& me) {
  while (me.is_forwarded.load(std::memory_order_relaxed)) {
    yield(me);
  }
}

}  // namespace weft::runtime
