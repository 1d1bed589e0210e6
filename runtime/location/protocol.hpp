// How a rank's mail, its messages and other items, finds the rank, which may change its worker at any moment, and what
// keeps the mail in order. The functions here fix the order of all stores, reads and deliveries. MailOperations
// (runtime/p2p/mail_route.hpp) and LocationOperations (operations.hpp) call them with the runtime's atomics, inboxes
// and steal slots; tests/runtime/location/protocol_test.cpp explores the same functions over all interleavings of a
// small model.
//
// The argument in short. Mail for a rank takes one of two ways: the inbox of its worker (State::here), or the rank's
// own queue, which follows the rank wherever it goes (all other states). A rank changes its worker only while its mail
// goes by its own queue, so nothing has to be forwarded or held back for it (but for mail that a balancing step finds
// in an inbox: see arrive()). What remains is the change from one way to the other:
// - from the inbox to the queue (open_queues): first the new state becomes visible to all, then the worker waits until
//   no other worker is inside post(), then it empties its inbox. All mail in the queue is younger than that.
// - from the queue to the inbox (close_queue): the same, but the queue is emptied last, before the worker looks into
//   its inbox again.
#pragma once

#include <span>

#include "runtime/location/state.hpp"

namespace weft::runtime {
inline namespace location {

// `Operations` acts for one worker, the one whose thread makes the call (threads of its ranks take turns under the
// worker lock). For sending and receiving it has:
//   WorkerRef self();
//   Location<WorkerRef> load(rank);           acquire; pairs with set()
//   void begin_post(), end_post();            says to wait_for_posts() of other workers that this one is in post()
//   void push(worker, item);                  to the inbox of a worker
//   void push_notice(worker, rank);           makes on_notice() run there
//   bool enqueue(rank, item);                 to the rank's own queue; returns whether that was empty
//   void deliver_queue(rank);                 takes all of its own queue and calls arrive() for each, oldest first
//   void accept(rank, item);                  the item has arrived: matches it with the rank's receives
// For moving ranks it has in addition:
//   void set(rank, Location<WorkerRef>);      sequentially consistent exchange
//   void wait_for_posts();                    asymmetric fence, then until each other worker has been outside post()
//   void push_arrival(worker, rank);          makes take_in() run there
//   void deliver_inbox();                     takes all of this worker's inbox and handles it, oldest first
//   void make_ready(rank);                    appends it to this worker's ready queue
//   void put_into_slot(rank);                 other workers may steal it from now on
//   rank* steal_from(victim);                 takes a rank out of another worker's slots; null when there is none

// Whether the rank is exposed or on its way to another worker. The worker that takes it then empties its queue, so mail
// for it needs no notice.
constexpr bool is_in_transit(State state) { return state == State::exposed || state == State::leaving; }

// Called when the rank's queue was empty and has got an item. A worker that takes the rank first stores the new
// location and then empties the queue. So either it finds the item, or the location that is read here is the new one.
template <typename Operations, typename Rank>
void announce_mail(Operations& op, Rank& rank) {
  const auto now = op.load(rank);
  if (!is_in_transit(now.state)) {
    op.push_notice(now.worker, rank);
  }
}

// Sends mail towards a rank that lives in this process, from a worker that may not touch the rank itself.
template <typename Operations, typename Rank, typename Item>
void post(Operations& op, Rank& rank, Item& item) {
  op.begin_post();
  const auto at = op.load(rank);  // anew: wait_for_posts() does not cover a location that was read before begin_post()
  if (at.state == State::here) [[likely]] {
    op.push(at.worker, item);
    op.end_post();
    return;
  }
  const bool was_empty = op.enqueue(rank, item);
  op.end_post();
  if (was_empty) {
    announce_mail(op, rank);
  }
}

// Whether this worker has the rank: then no other worker touches it.
template <typename WorkerRef>
bool is_held(const Location<WorkerRef>& at, WorkerRef self) {
  return at.worker == self && !is_in_transit(at.state);
}

// Whether this worker may deliver a message directly to the rank, whose location it has just read. If so, this has
// delivered all older mail in the rank's queue.
template <typename Operations, typename Rank, typename WorkerRef>
bool may_deliver(Operations& op, Rank& rank, const Location<WorkerRef>& at) {
  if (!is_held(at, op.self())) {
    return false;
  }
  if (at.state == State::here_queued) [[unlikely]] {
    op.deliver_queue(rank);
  }
  return true;
}

// Handles mail that has come out of this worker's inbox, or out of the queue of a rank of this worker. In a balancing
// step the rank may have moved meanwhile: then the mail is forwarded. A rank in State::exposed accepts it here, since
// open_queues() empties the inbox before the rank is in a slot.
template <typename Operations, typename Rank, typename Item>
void arrive(Operations& op, Rank& rank, Item& item) {
  const auto at = op.load(rank);
  if (at.worker == op.self() && at.state != State::leaving) [[likely]] {
    op.accept(rank, item);
  } else {
    post(op, rank, item);
  }
}

// Handles a notice that there is mail in the rank's queue. Returns whether this worker still has the rank. If not,
// another worker has taken it and emptied its queue then, or will do so when it takes the rank.
template <typename Operations, typename Rank>
bool on_notice(Operations& op, Rank& rank) {
  if (!is_held(op.load(rank), op.self())) {
    return false;
  }
  op.deliver_queue(rank);
  return true;
}

// For ranks of this worker, ready and in no ready queue, that are about to change their worker. From now on their mail
// goes by their own queues, and none is on its way to the inbox.
template <typename Operations, typename Rank>
void open_queues(Operations& op, std::span<Rank* const> ranks) {
  bool any = false;
  for (Rank* const rank : ranks) {
    any = op.load(*rank).state == State::here || any;
    op.set(*rank, {op.self(), State::exposed});
  }
  if (any) {
    op.wait_for_posts();
    op.deliver_inbox();
  }
}

// The reverse, for a rank of this worker that has not moved for long: a message costs less by the inbox.
template <typename Operations, typename Rank>
void close_queue(Operations& op, Rank& rank) {
  op.set(rank, {op.self(), State::here});
  op.wait_for_posts();
  op.deliver_queue(rank);
}

// Makes the rank this worker's.
template <typename Operations, typename Rank>
void take_over(Operations& op, Rank& rank) {
  op.set(rank, {op.self(), State::here_queued});  // before the queue is emptied: see announce_mail()
  op.deliver_queue(rank);
}

// Lets other workers steal these ranks, which are ready and in no ready queue.
template <typename Operations, typename Rank>
void expose(Operations& op, std::span<Rank* const> ranks) {
  open_queues(op, ranks);
  for (Rank* const rank : ranks) {
    op.put_into_slot(*rank);
  }
}

// Takes back an exposed rank that has not been stolen, once it is out of its slot.
template <typename Operations, typename Rank>
void withdraw(Operations& op, Rank& rank) {
  take_over(op, rank);
}

// Steals a rank that another worker has exposed: it is this worker's then, and ready. Null when there is none.
template <typename Operations, typename Worker>
auto steal(Operations& op, Worker& victim) {
  auto* const rank = op.steal_from(victim);
  if (rank != nullptr) {
    take_over(op, *rank);
    // Messages that the rank has sent to ranks of this worker may still be in the inbox. From now on it delivers to
    // them directly, and must not overtake those.
    op.deliver_inbox();
    op.make_ready(*rank);
  }
  return rank;
}

// Gives a ready rank, which is in no ready queue, to another worker.
template <typename Operations, typename Rank, typename Worker>
void give(Operations& op, Rank& rank, Worker& to) {
  Rank* const ranks[] = {&rank};
  open_queues(op, std::span<Rank* const>(ranks));
  op.set(rank, {&to, State::leaving});
  op.push_arrival(to, rank);
}

// In a balancing step, in which no rank of the process sends: moves the rank, which no longer runs, to another worker.
// Its worker has emptied its inbox before. If the rank's mail goes by inboxes, it goes by that of the new worker at
// once, even before the rank has arrived there.
template <typename Operations, typename Rank, typename Worker>
void move(Operations& op, Rank& rank, Worker& to) {
  op.set(rank, {&to, op.load(rank).state == State::here ? State::here : State::leaving});
  op.push_arrival(to, rank);
}

// Takes in a rank that was given or moved, once it has come out of this worker's inbox, after all that it had sent
// here.
template <typename Operations, typename Rank>
void take_in(Operations& op, Rank& rank) {
  if (op.load(rank).state == State::leaving) {
    take_over(op, rank);
  } else {
    op.deliver_queue(rank);  // a thread that is no worker may have sent mail, and the notice of it to the old worker
  }
  op.make_ready(rank);
}

}  // namespace location
}  // namespace weft::runtime
