#include "runtime/team/team.hpp"

#include "runtime/job/job.hpp"
#include "runtime/team/station.hpp"
#include "runtime/worker/worker.hpp"

namespace weft::runtime {

Team::Team(std::vector<Rank*> members, std::uint32_t worker_count)
    : members_(std::move(members)),
      cells_(members_.size()),
      small_(members_.size()),
      stations_(worker_count),
      missing_(static_cast<std::uint32_t>(members_.size())) {
  for (Station& station : stations_) {
    station.team = this;
    station.release.deliver = &Team::release;
    station.release.owner = &station;
  }
  count_members();
}

Team::~Team() = default;

void Team::count_members() {
  for (Station& station : stations_) {
    station.members_here = 0;
  }
  for (const Rank* member : members_) {
    ++stations_[number(member->worker.load(std::memory_order_relaxed)->id())].members_here;
  }
}

void Team::leaves(Worker& worker) { --stations_[number(worker.id())].members_here; }
void Team::joins(Worker& worker) { ++stations_[number(worker.id())].members_here; }

void Team::meet(Rank& me, Action action, void* argument) {
  Worker& worker = *Worker::current();
  Station& station = stations_[number(worker.id())];
  station.action = action;
  station.argument = argument;
  ++station.present;
  ++station.unreported;
  if (station.present >= station.members_here) {
    if (station.listed) {
      station.listed = false;
      worker.forget(station);
    }
    // Set before the team is told: who completes the meeting looks here for those to wake.
    station.has_waiters.store(true, std::memory_order_relaxed);
    const std::uint32_t arrived = std::exchange(station.unreported, 0U);
    if (missing_.fetch_sub(arrived, std::memory_order_acq_rel) == arrived) {
      complete(worker, station);
      return;
    }
  } else if (!station.listed) {
    station.listed = true;
    worker.remember(station);
  }
  me.next = nullptr;
  (station.last_waiting != nullptr ? station.last_waiting->next : station.first_waiting) = &me;
  station.last_waiting = &me;
  me.meeting = this;
  worker.park(me);
  me.meeting = nullptr;
}

void Team::report(Worker& worker, Station& station) {
  const std::uint32_t arrived = std::exchange(station.unreported, 0U);
  if (arrived == 0) {
    return;
  }
  station.has_waiters.store(true, std::memory_order_relaxed);
  if (missing_.fetch_sub(arrived, std::memory_order_acq_rel) == arrived) {
    complete(worker, station);
  }
}

void Team::complete(Worker& worker, Station& mine) {
  missing_.store(size(), std::memory_order_relaxed);
  if (mine.action != nullptr) {
    mine.action(*this, mine.argument);
  }
  for (Station& station : stations_) {
    if (&station != &mine && station.has_waiters.load(std::memory_order_relaxed)) {
      station.has_waiters.store(false, std::memory_order_relaxed);
      worker.job().worker(static_cast<std::uint32_t>(&station - stations_.data())).inbox().push(station.release);
    }
  }
  mine.has_waiters.store(false, std::memory_order_relaxed);
  wake(worker, mine);
}

void Team::wake(Worker& worker, Station& station) {
  station.present = 0;
  Rank* rank = std::exchange(station.first_waiting, nullptr);
  station.last_waiting = nullptr;
  while (rank != nullptr) {
    Rank* const after = rank->next;
    worker.make_ready(*rank);
    rank = after;
  }
}

void Team::release(Worker& worker, InboxItem& item) { wake(worker, *static_cast<OwnedItem<Station>&>(item).owner); }

}  // namespace weft::runtime
