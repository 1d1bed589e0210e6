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
inline namespace sync {

Team::Team(std::vector<Member*> members, std::span<Worker* const> workers, bool worker_for_each)
    : members_(std::move(members)),
      exchange_slots_(members_.size()),
      words_(members_.size()),
      signatures_(members_.size()),
      workers_(workers),
      shares_(workers.size()),
      deferred_collectives_(std::make_unique<DeferredCollectives>(size())),
      flag_exchange_(worker_for_each && size() <= std::min<std::size_t>(FlagExchange::kMostMembers, workers.size())
                         ? std::make_unique<FlagExchange>(size())
                         : nullptr),
      missing_(static_cast<std::uint32_t>(members_.size())) {
  for (WorkerShare& share : shares_) {
    for (BarrierNode& node : share.nodes) {
      node.run = &Team::report_deferred;
      node.team = this;
      node.release.deliver = &Team::release;
      node.release.owner = &node;
    }
  }
  for (const Member* member : members_) {
    if (const Worker* const home = member->worker.load(std::memory_order_relaxed); home != nullptr) {
      ++shares_[number(home->id())].members_here;
    }
  }
}

Team::~Team() { delete ring_.load(std::memory_order_relaxed); }

BroadcastRing& Team::make_ring() {
  auto made = std::make_unique<BroadcastRing>(size(), flag_exchange_ != nullptr);
  BroadcastRing* there = nullptr;
  // Pairs with broadcast_ring(): a thread that finds the ring sees it complete.
  return ring_.compare_exchange_strong(there, made.get(), std::memory_order_acq_rel) ? *made.release() : *there;
}

bool Team::others_arrived(std::uint32_t member) const {
  // Pairs with report().
  return missing_.load(std::memory_order_seq_cst) != size() ||
         (flag_exchange_ != nullptr && flag_exchange_->others_have_posted(member));
}

void Team::count_member_on(Worker& worker) { ++shares_[number(worker.id())].members_here; }
void Team::uncount_member_on(Worker& worker) { --shares_[number(worker.id())].members_here; }

// Relaxed: a member arrives only after the last barrier has released it, and so sees the count as complete() left it.
Team::BarrierNode& Team::node_of(const Worker& worker) {
  return shares_[number(worker.id())].nodes[barriers_over_.load(std::memory_order_relaxed) % 2];
}

bool Team::arrive(Worker& worker, Action action, void* argument) {
  BarrierNode& node = node_of(worker);
  node.action = action;
  node.argument = argument;
  ++node.present;
  ++node.unreported;
  if (node.present >= shares_[number(worker.id())].members_here) {
    if (node.is_deferred) {
      node.is_deferred = false;
      worker.cancel(node);
    }
    // Set before the arrivals are reported: the worker that completes the barrier looks here for members to wake.
    node.has_waiters.store(true, std::memory_order_relaxed);
    const std::uint32_t arrived = std::exchange(node.unreported, 0U);
    if (report(arrived)) {
      complete(worker, node);
      return true;
    }
  } else if (!node.is_deferred) {
    node.is_deferred = true;
    worker.defer(node);
  }
  return false;
}

// A member may be waiting in the broadcast ring for a root that has come to this barrier instead. wake_all() makes it
// ask others_arrived() again.
bool Team::report(std::uint32_t arrived) {
  // Pairs with report() of the other workers: the last one sees what all members wrote. Pairs with others_arrived().
  const bool last = missing_.fetch_sub(arrived, std::memory_order_seq_cst) == arrived;
  if (BroadcastRing* const ring = broadcast_ring_if_made(); ring != nullptr && !last) {
    ring->wake_all();
  }
  return last;
}

void Team::barrier(Member& /*me*/, Action action, void* argument) {
  Worker& worker = *Worker::current();
  BarrierNode& node = node_of(worker);  // before arrive(): another worker may then complete the barrier at any moment
  if (arrive(worker, action, argument)) {
    return;
  }
  ExecutionContext& context = *worker.context();
  context.next = nullptr;
  (node.last_waiting != nullptr ? node.last_waiting->next : node.first_waiting) = &context;
  node.last_waiting = &context;
  context.at_barrier = this;
  worker.park(context);
  context.at_barrier = nullptr;
}

// The rank may be given to another worker while it waits. It does not go on as soon as the barrier is over, but when
// this worker wakes the members of its node: until then the node cannot be used for another barrier.
void Team::arrive_for(Member& me, Action action, void* argument, Request& request) {
  Worker& worker = *Worker::current();
  BarrierNode& node = node_of(worker);
  start_event(me, -1, {}, request);
  if (arrive(worker, action, argument)) {
    request.done = true;
    return;
  }
  request.next = std::exchange(node.first_request, &request);
}

void Team::report_deferred(Worker& worker, DeferredWork& work) {
  auto& node = static_cast<BarrierNode&>(work);
  Team& team = *node.team;
  node.is_deferred = false;
  const std::uint32_t arrived = std::exchange(node.unreported, 0U);
  if (arrived == 0) {
    return;
  }
  node.has_waiters.store(true, std::memory_order_relaxed);
  if (team.report(arrived)) {
    team.complete(worker, node);
  }
}

// Everything is reset before the first member is woken: it may arrive at the next barrier at once.
void Team::complete(Worker& worker, BarrierNode& mine) {
  missing_.store(size(), std::memory_order_relaxed);
  if (mine.action != nullptr) {
    mine.action(*this, mine.argument);
  }
  const std::uint32_t barrier = barriers_over_.load(std::memory_order_relaxed);
  barriers_over_.store(barrier + 1, std::memory_order_relaxed);
  for (std::uint32_t w = 0; w < shares_.size(); ++w) {
    BarrierNode& node = shares_[w].nodes[barrier % 2];
    if (&node != &mine && node.has_waiters.load(std::memory_order_relaxed)) {
      node.has_waiters.store(false, std::memory_order_relaxed);
      workers_[w]->inbox().push(node.release);
    }
  }
  mine.has_waiters.store(false, std::memory_order_relaxed);
  wake(worker, mine);
}

void Team::wake(Worker& worker, BarrierNode& node) {
  node.present = 0;
  node.last_waiting = nullptr;
  ExecutionContext* context = std::exchange(node.first_waiting, nullptr);
  // The lists are taken out first, since the node may be freed once a request is done: if its rank has moved meanwhile,
  // it goes on at once on its new worker and may free the team.
  for (Request* request = std::exchange(node.first_request, nullptr); request != nullptr;) {
    Request* const after = std::exchange(request->next, nullptr);
    finish_event(*request);
    request = after;
  }
  while (context != nullptr) {
    ExecutionContext* const after = context->next;
    worker.make_ready(*context);
    context = after;
  }
}

void Team::release(Worker& worker, InboxItem& item) { wake(worker, *static_cast<OwnedItem<BarrierNode>&>(item).owner); }

}  // namespace sync
}  // namespace weft::runtime
