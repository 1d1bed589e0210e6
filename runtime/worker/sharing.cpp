#include "runtime/worker/sharing.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "runtime/job/job.hpp"
#include "runtime/message/envelope.hpp"
#include "runtime/message/point_to_point.hpp"
#include "runtime/team/team.hpp"
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

bool keep_back(Rank& to, Envelope& message) {
  if (!to.settling.load(std::memory_order_acquire) || message.sent_on) [[likely]] {
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
