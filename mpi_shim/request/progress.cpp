#include "mpi_shim/request/progress.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "mpi_shim/request/small_array.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/sync/broadcast_ring.hpp"
#include "runtime/sync/flag_exchange.hpp"

namespace weft::mpi_shim {
inline namespace request {

namespace {

// Advances the pending operations until done() returns true. `messages` are those that done() depends on besides.
template <typename Done>
[[gnu::noinline]] void progress_until(RankState& me, std::span<runtime::Request* const> messages, Done&& done) {
  std::vector<runtime::Request*> awaited;
  for (;;) {
    advance_operations(me);
    if (done()) {
      return;
    }
    // Leaves out messages that are done: wait_any() would return at once because of them, and the loop would keep the
    // worker from receiving the others.
    awaited.clear();
    std::copy_if(messages.begin(), messages.end(), std::back_inserter(awaited), [](const auto* m) { return !m->done; });
    const std::size_t mine = awaited.size();
    bool poll = false;
    for (PendingRequest* request : me.requests.operations) {
      const std::size_t before = awaited.size();
      request->operation->add_awaited(awaited);
      poll |= awaited.size() == before;
    }
    if (poll) {
      runtime::yield(*me.rank);
    } else if (me.rank->threads_allowed) [[unlikely]] {
      const std::span<runtime::Request*> all(awaited);
      runtime::wait_any(*me.rank, all.first(mine), all.size() > mine ? all[mine] : nullptr);
    } else {
      runtime::wait_any(*me.rank, awaited);
    }
  }
}

// The messages among `requests` that are not done.
SmallArray<runtime::Request*> open_messages(std::span<PendingRequest* const> requests) {
  SmallArray<runtime::Request*> messages(requests.size());
  std::size_t open = 0;
  for (PendingRequest* request : requests) {
    if (request != nullptr && !request->operation && !request->message.done) {
      messages[open++] = &request->message;
    }
  }
  messages.shrink(open);
  return messages;
}

bool all_done(std::span<PendingRequest* const> requests) {
  return std::all_of(requests.begin(), requests.end(), [](const auto* r) { return r == nullptr || r->done(); });
}

bool any_done(std::span<PendingRequest* const> requests) {
  return std::any_of(requests.begin(), requests.end(), [](const auto* r) { return r != nullptr && r->done(); });
}

// Any thread of the rank may advance or complete an operation while others wait. Wakes the waiting threads if some have
// completed, and has a thread woken when a message completes that an operation waits for.
[[gnu::noinline]] void notify_threads(RankState& me, bool some_ended) {
  if (some_ended) {
    runtime::wake_waiters(*me.rank);
  }
  std::vector<runtime::Request*> awaited;
  for (PendingRequest* request : me.requests.operations) {
    request->operation->add_awaited(awaited);
  }
  std::for_each(awaited.begin(), awaited.end(), [](auto* request) { runtime::wake_waiter_at_end(*request); });
}

// A free function of the program may make calls that lead here again: so a request is taken out of the list before.
[[gnu::noinline]] void release_abandoned(RankState& me) {
  std::vector<PendingRequest*>& abandoned = me.requests.abandoned;
  for (std::size_t i = 0; i < abandoned.size();) {
    PendingRequest& request = *abandoned[i];
    if (!request.done()) {
      ++i;
      continue;
    }
    abandoned[i] = abandoned.back();
    abandoned.pop_back();
    if (request.operation) {
      request.operation->free(me);
    }
    me.requests.release(request);
  }
}

// The slow path of wait_message(): the rank has pending operations, or threads of it may begin one.
[[gnu::noinline]] void wait_on(RankState& me, runtime::Request& request) {
  runtime::Request* const message = &request;
  while (me.requests.operations.empty() && !request.done) {
    runtime::wait_any(*me.rank, {&message, 1});
  }
  progress_until(me, {&message, 1}, [&] { return request.done; });
}

}  // namespace

void begin_operation(RankState& me, PendingRequest& request) {
  request.finished = request.operation->advance(me);
  if (!request.finished) {
    me.requests.operations.push_back(&request);
    runtime::wake_waiters(*me.rank);  // waiting threads advance it too
  }
}

MPI_Request add_operation(RankState& me, MPI_Comm comm, std::unique_ptr<Operation> operation) {
  PendingRequest& request = me.requests.acquire();
  request.message.done = true;
  request.operation = std::move(operation);
  request.comm = comm;
  begin_operation(me, request);
  return request.handle;
}

MPI_Request add_persistent_operation(RankState& me, MPI_Comm comm, std::unique_ptr<Operation> operation) {
  PendingRequest& request = me.requests.acquire();
  request.message.done = true;
  request.operation = std::move(operation);
  request.comm = comm;
  request.persistent = true;
  request.active = false;
  return request.handle;
}

void advance_operations(RankState& me) {
  std::vector<PendingRequest*>& operations = me.requests.operations;
  const std::size_t before = operations.size();
  for (std::size_t i = 0; i < operations.size();) {
    PendingRequest* const request = operations[i];
    if (request->operation->advance(me)) {
      request->finished = true;
      operations.erase(std::find(operations.begin(), operations.end(), request));
    } else {
      ++i;
    }
  }
  if (before != 0 && me.rank->threads_allowed) [[unlikely]] {
    notify_threads(me, operations.size() != before);
  }
  if (!me.requests.abandoned.empty()) {
    release_abandoned(me);
  }
}

void wait_message(RankState& me, runtime::Request& request) {
  if (request.done) {
    return;
  }
  if (me.requests.operations.empty() && !me.rank->threads_allowed.load(std::memory_order_relaxed)) [[likely]] {
    runtime::wait(*me.rank, request);
  } else {
    wait_on(me, request);
  }
}

void wait_all_pending(RankState& me, std::span<PendingRequest* const> requests) {
  SmallArray<runtime::Request*> messages = open_messages(requests);
  // Repeated only where threads of the rank may call: then begin_operation() of another thread ends the wait early.
  while (me.requests.operations.empty()) {
    runtime::wait_all(*me.rank, messages.span());
    if (!me.rank->threads_allowed || all_done(requests)) [[likely]] {
      return;
    }
    messages = open_messages(requests);
  }
  progress_until(me, messages.span(), [&] { return all_done(requests); });
}

void wait_any_pending(RankState& me, std::span<PendingRequest* const> requests) {
  SmallArray<runtime::Request*> messages = open_messages(requests);
  while (me.requests.operations.empty()) {
    runtime::wait_any(*me.rank, messages.span());
    if (!me.rank->threads_allowed || any_done(requests)) [[likely]] {
      return;
    }
  }
  progress_until(me, messages.span(), [&] { return any_done(requests); });
}

void complete_collectives(RankState& me) {
  const auto complete = [&] {
    return std::none_of(me.requests.operations.begin(), me.requests.operations.end(),
                        [](const PendingRequest* request) { return request->operation->collective(); });
  };
  if (!complete()) {
    progress_until(me, {}, complete);
  }
}

namespace {

void wait_for_members(RankState& me, runtime::Team& team, runtime::Request& over) {
  runtime::ExecutionContext& context = *runtime::Worker::current()->context();
  context.at_barrier = &team;
  wait_message(me, over);
  context.at_barrier = nullptr;
}

}  // namespace

void team_barrier(RankState& me, runtime::Team& team, runtime::Team::Action action, void* argument) {
  if (me.requests.operations.empty()) [[likely]] {
    team.barrier(*me.rank, action, argument);
    return;
  }
  runtime::Request over;
  team.arrive_for(*me.rank, action, argument, over);
  wait_for_members(me, team, over);
}

void flag_exchange_barrier(RankState& me, runtime::Team& team, std::uint32_t member, std::uint64_t signature) {
  runtime::FlagExchange& flags = *team.flag_exchange();
  flags.post(member, signature);
  if (me.requests.operations.empty() && flags.all_posted(*runtime::Worker::current(), member)) [[likely]] {
    return;
  }
  runtime::Request over;
  flags.await_all(*me.rank, member, over);
  if (runtime::BroadcastRing* const ring = team.broadcast_ring_if_made()) {
    // A member may wait in the ring for a broadcast or for room that will never come, because its partner is here: it
    // wakes up and sees others_arrived().
    ring->wake_all();
  }
  wait_for_members(me, team, over);
}

bool await_broadcast(RankState& me, runtime::Team& team, std::uint32_t member, runtime::Awaited what) {
  runtime::BroadcastRing& ring = team.broadcast_ring();
  const auto ready = [&] { return ring.is_ready(member, what); };
  if (what == runtime::Awaited::room && team.others_arrived(member)) [[unlikely]] {
    return false;
  }
  if (ready() || (me.requests.operations.empty() && runtime::Worker::yield_until(ready))) [[likely]] {
    return true;
  }
  for (bool others_arrived = false; !others_arrived;) {
    runtime::Request over;
    ring.start_waiting(*me.rank, what, over);
    // Before ready(): if others have arrived at a barrier, the broadcasts that they completed before are visible now.
    others_arrived = team.others_arrived(member);
    if (others_arrived || ready()) {
      ring.stop_waiting(over);
    }
    wait_for_members(me, team, over);
    if (ready()) {
      return true;
    }
  }
  return false;
}

void fail_if_unmatchable(RankState& me, runtime::Request& receive) {
  const runtime::Failure why = me.rank->job.upper_layer()->receive_failure(*me.rank, receive.key);
  if (why != runtime::Failure::none && runtime::cancel_receive(*me.rank, receive)) {
    receive.cancelled = false;
    receive.failure = why;
  }
}

runtime::Failure known_failure(RankState& me, const runtime::MatchKey& key) {
  runtime::Job& job = me.rank->job;
  return job.upper_layer()->message_failure(job, key, runtime::kAllNotices);
}

void repost_receive(RankState& me, runtime::Request& receive) {
  runtime::start_receive(*me.rank, receive.key, receive.buffer, receive);
  if (!receive.done) {
    fail_if_unmatchable(me, receive);
  }
}

void make_progress(RankState& me) {
  advance_operations(me);
  runtime::yield(*me.rank);
  advance_operations(me);
}

}  // namespace request
}  // namespace weft::mpi_shim
