#include "runtime/sync/team.hpp"

#include <algorithm>
#include <utility>

#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/sync/barrier_node.hpp"
#include "runtime/sync/broadcast_ring.hpp"
#include "runtime/sync/deferred_collective.hpp"
#include "runtime/sync/flag_exchange.hpp"
#include "runtime/sync/member.hpp"

namespace weft::runtime {

Team::Team(std::vector<Member*> members, std::span<Worker* const> workers, bool worker_for_each)
    : members_(std::move(members)),
      cells_(members_.size()),
      small_(members_.size()),
      marks_(members_.size()),
      workers_(workers),
      places_(workers.size()),
      appointments_(std::make_unique<DeferredCollectives>(size())),
      board_(worker_for_each && size() <= std::min<std::size_t>(FlagExchange::kMostMembers, workers.size())
                 ? std::make_unique<FlagExchange>(size())
                 : nullptr),
      missing_(static_cast<std::uint32_t>(members_.size())) {
  for (Place& place : places_) {
    for (BarrierNode& station : place.stations) {
      station.run = &Team::report;
      station.team = this;
      station.release.deliver = &Team::release;
      station.release.owner = &station;
    }
  }
  for (const Member* member : members_) {
    if (const Worker* const home = member->worker.load(std::memory_order_relaxed); home != nullptr) {
      ++places_[number(home->id())].members_here;
    }
  }
}

Team::~Team() { delete stream_.load(std::memory_order_relaxed); }

BroadcastRing& Team::make_stream() {
  auto made = std::make_unique<BroadcastRing>(size(), board_ != nullptr);
  BroadcastRing* there = nullptr;
  // Pairs with stream(): who finds the ring finds it whole.
  return stream_.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel) ? *made.release() : *there;
}

bool Team::others_meet(std::uint32_t member) const {
  // Pairs with count().
  return missing_.load(std::memory_order_seq_cst) != size() || (board_ != nullptr && board_->others_came(member));
}

void Team::leaves(Worker& worker) { --places_[number(worker.id())].members_here; }
void Team::joins(Worker& worker) { ++places_[number(worker.id())].members_here; }

Team::BarrierNode& Team::here(const Worker& worker) {
  return places_[number(worker.id())].stations[meeting_.load(std::memory_order_relaxed) % 2];
}

bool Team::arrive(Worker& worker, Action action, void* argument) {
  BarrierNode& station = here(worker);
  station.action = action;
  station.argument = argument;
  ++station.present;
  ++station.unreported;
  if (station.present >= places_[number(worker.id())].members_here) {
    if (station.listed) {
      station.listed = false;
      worker.cancel(station);
    }
    // Set before the team is told: who completes the meeting looks here for those to wake.
    station.has_waiters.store(true, std::memory_order_relaxed);
    const std::uint32_t arrived = std::exchange(station.unreported, 0U);
    if (count(arrived)) {
      complete(worker, station);
      return true;
    }
  } else if (!station.listed) {
    station.listed = true;
    worker.defer(station);
  }
  return false;
}

// Who waits in the stream for somebody that is here waits in vain.
bool Team::count(std::uint32_t arrived) {
  // Pairs with count() of the others, whose members' writes are visible to who is last, and with others_meet().
  const bool last = missing_.fetch_sub(arrived, std::memory_order_seq_cst) == arrived;
  if (BroadcastRing* const stream = stream_if_made(); stream != nullptr && !last) {
    stream->wake_all();
  }
  return last;
}

void Team::meet(Member& /*me*/, Action action, void* argument) {
  Worker& worker = *Worker::current();
  BarrierNode& station = here(worker);
  if (arrive(worker, action, argument)) {
    return;
  }
  ExecutionContext& context = *worker.context();
  context.next = nullptr;
  (station.last_waiting != nullptr ? station.last_waiting->next : station.first_waiting) = &context;
  station.last_waiting = &context;
  context.at_barrier = this;
  worker.park(context);
  context.at_barrier = nullptr;
}

// The rank may be given to another worker meanwhile. It goes on when its station here has been woken, not when the
// meeting is over: till then the station cannot be used again.
void Team::arrive_for(Member& me, Action action, void* argument, Request& over) {
  Worker& worker = *Worker::current();
  BarrierNode& station = here(worker);
  start_event(me, -1, {}, over);
  if (arrive(worker, action, argument)) {
    over.done = true;
    return;
  }
  over.next = std::exchange(station.first_told, &over);
}

void Team::report(Worker& worker, DeferredWork& work) {
  auto& station = static_cast<BarrierNode&>(work);
  Team& team = *station.team;
  station.listed = false;
  const std::uint32_t arrived = std::exchange(station.unreported, 0U);
  if (arrived == 0) {
    return;
  }
  station.has_waiters.store(true, std::memory_order_relaxed);
  if (team.count(arrived)) {
    team.complete(worker, station);
  }
}

void Team::complete(Worker& worker, BarrierNode& mine) {
  missing_.store(size(), std::memory_order_relaxed);
  if (mine.action != nullptr) {
    mine.action(*this, mine.argument);
  }
  const std::uint32_t meeting = meeting_.load(std::memory_order_relaxed);
  meeting_.store(meeting + 1, std::memory_order_relaxed);
  for (std::uint32_t w = 0; w < places_.size(); ++w) {
    BarrierNode& station = places_[w].stations[meeting % 2];
    if (&station != &mine && station.has_waiters.load(std::memory_order_relaxed)) {
      station.has_waiters.store(false, std::memory_order_relaxed);
      workers_[w]->inbox().push(station.release);
    }
  }
  mine.has_waiters.store(false, std::memory_order_relaxed);
  wake(worker, mine);
}

void Team::wake(Worker& worker, BarrierNode& station) {
  station.present = 0;
  station.last_waiting = nullptr;
  ExecutionContext* context = std::exchange(station.first_waiting, nullptr);
  // The station may go with the first that is told: a rank that has moved meanwhile goes on at once and may free the
  // team.
  for (Request* told = std::exchange(station.first_told, nullptr); told != nullptr;) {
    Request* const after = std::exchange(told->next, nullptr);
    finish_event(*told);
    told = after;
  }
  while (context != nullptr) {
    ExecutionContext* const after = context->next;
    worker.make_ready(*context);
    context = after;
  }
}

void Team::release(Worker& worker, InboxItem& item) { wake(worker, *static_cast<OwnedItem<BarrierNode>&>(item).owner); }

}  // namespace weft::runtime
