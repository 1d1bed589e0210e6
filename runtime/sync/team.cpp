#include "runtime/sync/team.hpp"

#include <algorithm>
#include <utility>

#include "runtime/job/job.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/sync/barrier_node.hpp"
#include "runtime/sync/broadcast_ring.hpp"
#include "runtime/sync/deferred_collective.hpp"
#include "runtime/sync/flag_exchange.hpp"

namespace weft::runtime {

namespace {

std::unique_ptr<FlagExchange> make_board(std::size_t members, const Job& job) {
  const std::size_t most = std::min<std::size_t>(FlagExchange::kMostMembers, job.worker_count());
  const bool fits = members <= most && job.config().ranks <= job.worker_count();
  return fits ? std::make_unique<FlagExchange>(static_cast<std::uint32_t>(members)) : nullptr;
}

}  // namespace

Team::Team(std::vector<Rank*> members, const Job& job)
    : members_(std::move(members)),
      cells_(members_.size()),
      small_(members_.size()),
      marks_(members_.size()),
      places_(job.worker_count()),
      appointments_(std::make_unique<DeferredCollectives>(size())),
      board_(make_board(members_.size(), job)),
      missing_(static_cast<std::uint32_t>(members_.size())) {
  for (Place& place : places_) {
    for (BarrierNode& station : place.stations) {
      station.team = this;
      station.release.deliver = &Team::release;
      station.release.owner = &station;
    }
  }
  for (const Rank* member : members_) {
    if (const Worker* const home = member->worker.load(std::memory_order_relaxed); home != nullptr) {
      ++places_[number(home->id())].members_here;
    }
  }
}

Team::~Team() { delete stream_.load(std::memory_order_relaxed); }

BroadcastRing& Team::make_stream() {
  auto made = std::make_unique<BroadcastRing>(size(), board_ != nullptr);
  BroadcastRing* there = nullptr;
  return stream_.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel) ? *made.release() : *there;
}

bool Team::others_meet(std::uint32_t member) const {
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
      worker.forget(station);
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
    worker.remember(station);
  }
  return false;
}

// Who waits in the stream for somebody that is here waits in vain.
bool Team::count(std::uint32_t arrived) {
  const bool last = missing_.fetch_sub(arrived, std::memory_order_seq_cst) == arrived;
  if (BroadcastRing* const stream = stream_if_made(); stream != nullptr && !last) {
    stream->rouse();
  }
  return last;
}

void Team::meet(Rank& /*me*/, Action action, void* argument) {
  Worker& worker = *Worker::current();
  BarrierNode& station = here(worker);
  if (arrive(worker, action, argument)) {
    return;
  }
  ExecutionContext& strand = *worker.strand();
  strand.next = nullptr;
  (station.last_waiting != nullptr ? station.last_waiting->next : station.first_waiting) = &strand;
  station.last_waiting = &strand;
  strand.meeting = this;
  worker.park(strand);
  strand.meeting = nullptr;
}

// The rank may be given to another worker meanwhile. It goes on when its station here has been woken, not when the
// meeting is over: till then the station cannot be used again.
void Team::arrive_for(Rank& me, Action action, void* argument, Request& over) {
  Worker& worker = *Worker::current();
  BarrierNode& station = here(worker);
  start_event(me, -1, {}, over);
  if (arrive(worker, action, argument)) {
    over.done = true;
    return;
  }
  over.next = std::exchange(station.first_told, &over);
}

void Team::report(Worker& worker, BarrierNode& station) {
  const std::uint32_t arrived = std::exchange(station.unreported, 0U);
  if (arrived == 0) {
    return;
  }
  station.has_waiters.store(true, std::memory_order_relaxed);
  if (count(arrived)) {
    complete(worker, station);
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
      worker.job().worker(w).inbox().push(station.release);
    }
  }
  mine.has_waiters.store(false, std::memory_order_relaxed);
  wake(worker, mine);
}

void Team::wake(Worker& worker, BarrierNode& station) {
  station.present = 0;
  station.last_waiting = nullptr;
  ExecutionContext* strand = std::exchange(station.first_waiting, nullptr);
  // The station may go with the first that is told: a rank that has moved meanwhile goes on at once and may free the
  // team.
  for (Request* told = std::exchange(station.first_told, nullptr); told != nullptr;) {
    Request* const after = std::exchange(told->next, nullptr);
    finish_event(*told);
    told = after;
  }
  while (strand != nullptr) {
    ExecutionContext* const after = strand->next;
    worker.make_ready(*strand);
    strand = after;
  }
}

void Team::release(Worker& worker, InboxItem& item) { wake(worker, *static_cast<OwnedItem<BarrierNode>&>(item).owner); }

}  // namespace weft::runtime
