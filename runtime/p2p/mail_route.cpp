#include "runtime/p2p/mail_route.hpp"

#include <memory>

#include "runtime/sched/worker_hooks.hpp"

namespace weft::runtime {
inline namespace p2p {
namespace {

// After so many notices of mail since the rank last changed its worker, its queue is closed: its mail goes by the inbox
// again. Closing costs a system call, which interrupts the other workers for a moment.
constexpr std::uint32_t kNoticesBeforeClosing = 64;

void deliver_notice(Worker& worker, InboxItem& item) {
  const std::unique_ptr<OwnedItem<Endpoint>> notice(&static_cast<OwnedItem<Endpoint>&>(item));
  Endpoint& rank = *notice->owner;
  MailOperations op(worker);
  if (location::on_notice(op, rank) && ++rank.notices == kNoticesBeforeClosing) {
    worker.hooks().close_mail_queue(worker, rank);
  }
}

// The operations that announce_mail() needs, for a thread that is no worker.
struct Outside {
  static location::Location<Worker*> load(const Endpoint& rank) { return MailOperations::load(rank); }
  static void push_notice(Worker* worker, Endpoint& rank) { MailOperations::push_notice(worker, rank); }
};

}  // namespace

// Allocated, since one may still lie in the inbox of a worker that the rank has left when the next one is needed.
void MailOperations::push_notice(Worker* worker, Endpoint& rank) {
  auto* const notice = new OwnedItem<Endpoint>;
  notice->deliver = &deliver_notice;
  notice->owner = &rank;
  worker->inbox().push(*notice);
}

void MailOperations::deliver_queue(Endpoint& rank) {
  for (InboxItem* item = rank.mail.take_all(); item != nullptr;) {
    InboxItem* const after = item->next;  // deliver() may free the item or push it to another inbox
    item->deliver(self_, *item);
    item = after;
  }
}

// LocationOperations::wait_for_posts() waits for workers only, not for this thread. So where ranks may leave their
// worker, this thread never pushes to an inbox.
void post_from_outside(Endpoint& rank, InboxItem& item) {
  Worker& home = *rank.worker.load();
  if (!MessageWorker::of(home).ranks_may_leave()) {
    home.inbox().push(item);
  } else if (rank.mail.push(item)) {
    Outside op;
    location::announce_mail(op, rank);
  }
}

}  // namespace p2p
}  // namespace weft::runtime
