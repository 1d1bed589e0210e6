#include "runtime/worker/sharing.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "runtime/job/job.hpp"
#include "runtime/message/envelope.hpp"
#include "runtime/message/point_to_point.hpp"
#include "runtime/team/team.hpp"
#include "runtime/timeline/recorder.hpp"
#include "runtime/worker/worker.hpp"

namespace weft::runtime {
namespace {

// A rank on its way from one worker to another. Other workers may have read the old place and be about to push a
// message to its inbox. So the old worker sends an item through every other worker's inbox and back: what they pushed
// before is in front of it and has been sent on to the new worker by then. The new worker hears of that last.
struct Handover {
  struct Fence : InboxItem {
    Handover* handover = nullptr;
  };

  Rank& rank;
  Worker& from;
  Worker& to;
  std::size_t missing = 0;  // fences that have not come back; the old worker's
  std::vector<Fence> fences;
  Fence settled;
};

Handover& handover_of(InboxItem& item) { return *static_cast<Handover::Fence&>(item).handover; }

void take_in(Worker& worker, InboxItem& item) {
  Rank& rank = *static_cast<OwnedItem<Rank>&>(item).owner;
  for (Team* const team : rank.teams) {
    team->joins(worker);
  }
  if (rank.threads_allowed) {
    worker.form_crew();
  }
  worker.make_ready(rank);
}

void end_settling(Worker& worker, InboxItem& item) {
  const std::unique_ptr<Handover> ends(&handover_of(item));
  Rank& rank = ends->rank;
  rank.settling.store(false, std::memory_order_relaxed);
  for (Envelope* const message : std::exchange(rank.kept_back, {})) {
    deliver_message(worker, *message);
  }
}

void come_back(Worker& /*worker*/, InboxItem& item) {
  Handover& handover = handover_of(item);
  if (--handover.missing == 0) {
    handover.settled.deliver = &end_settling;
    handover.settled.handover = &handover;
    handover.to.inbox().push(handover.settled);
  }
}

void pass_on(Worker& /*worker*/, InboxItem& item) {
  item.deliver = &come_back;
  handover_of(item).from.inbox().push(item);
}

void send_fences(Handover& handover, Job& job) {
  handover.fences.resize(job.worker_count());
  handover.missing = handover.fences.size() - 1;
  for (std::uint32_t w = 0; w < job.worker_count(); ++w) {
    if (&job.worker(w) != &handover.from) {
      handover.fences[w].deliver = &pass_on;
      handover.fences[w].handover = &handover;
      job.worker(w).inbox().push(handover.fences[w]);
    }
  }
}

}  // namespace

void Worker::be_hungry() {
  if (job_.config().share && !hungry_.load(std::memory_order_relaxed)) {
    hungry_.store(true, std::memory_order_release);
    job_.hungry_workers.fetch_add(1, std::memory_order_release);
  }
}

bool Worker::claim_hunger() {
  const bool mine = hungry_.load(std::memory_order_relaxed) && hungry_.exchange(false, std::memory_order_acq_rel);
  if (mine) {
    job_.hungry_workers.fetch_sub(1, std::memory_order_relaxed);
  }
  return mine;
}

// One that is far back in the queue and would wait longest. The first stays: this worker is about to run it.
Rank* Worker::spare_rank(std::uint64_t now, std::uint64_t shortest) {
  constexpr int kMostSeen = 64;
  Strand* before = nullptr;  // of the one that is found
  int seen = 0;
  for (Strand* rank = first_ready_; rank != nullptr && rank->next != nullptr && seen < kMostSeen; rank = rank->next) {
    ++seen;
    const Rank& next = *rank->next->owner;
    const std::uint64_t segment = next.load.cycles.load(std::memory_order_relaxed) / (next.load.switches + 1);
    if (&next != running_ && next.migratable && !next.in_step && !next.threads_call &&
        !next.settling.load(std::memory_order_relaxed) && segment >= shortest && now - next.given_at >= 10 * shortest) {
      before = rank;
    }
  }
  if (before == nullptr) {
    return nullptr;
  }
  Rank* const found = before->next->owner;
  before->next = found->next;
  if (last_ready_ == found) {
    last_ready_ = before;
  }
  found->given_at = now;
  return found;
}

void Worker::share() {
  if (job_.hungry_workers.load(std::memory_order_relaxed) == 0) [[likely]] {
    return;
  }
  const std::uint64_t now = ticks();
  const auto shortest = static_cast<std::uint64_t>(job_.config().share_us * 1e-6 * ticks_per_second());
  if (now - tried_to_share_ < shortest) {
    return;
  }
  tried_to_share_ = now;
  for (std::uint32_t i = 1; i < job_.worker_count(); ++i) {
    Worker& other = job_.worker((number(id_) + i) % job_.worker_count());
    if (!other.hungry_.load(std::memory_order_relaxed)) {
      continue;
    }
    Rank* const rank = spare_rank(now, shortest);
    if (rank == nullptr) {
      return;
    }
    if (!other.claim_hunger()) {
      make_ready(*rank);
      return;
    }
    give(*this, *rank, other);
  }
}

bool keep_back(Rank& to, Envelope& message) {
  if (message.sent_on) {
    return false;
  }
  to.kept_back.push_back(&message);
  return true;
}

void give(Worker& from, Rank& rank, Worker& to) {
  for (Team* const team : rank.teams) {
    team->leaves(from);
  }
  rank.state = Rank::State::moving;
  rank.settling.store(true, std::memory_order_relaxed);
  rank.worker_number = number(to.id());
  rank.worker.store(&to, std::memory_order_release);
  if (from.recorder() != nullptr) {
    from.recorder()->moves(rank.id, rank.job.global_number(to));
  }
  rank.hand_over.deliver = &take_in;
  to.inbox().push(rank.hand_over);
  send_fences(*new Handover{rank, from, to, 0, {}, {}}, rank.job);
}

void settle(Rank& me) {
  while (me.settling.load(std::memory_order_relaxed)) {
    yield(me);
  }
}

}  // namespace weft::runtime
