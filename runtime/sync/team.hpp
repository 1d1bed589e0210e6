// A team: the members of a communicator, where all of them live in this process. Its barrier in memory is what most
// collective calls within a process are built on.
#pragma once

#include <atomic>
#include <boost/align/aligned_allocator.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "runtime/sched/inbox.hpp"

namespace weft::runtime {
inline namespace p2p {
struct Request;
}  // namespace p2p

inline namespace sched {
class Worker;
struct DeferredWork;
struct ExecutionContext;
}  // namespace sched

inline namespace sync {

class DeferredCollectives;
class FlagExchange;
class Member;
class BroadcastRing;

// The in-memory barrier: each member arrives, and all go on once the last one has arrived. Each worker counts the
// arrivals of its members without atomics. It reports them in one step when its last member has arrived or it has
// nothing else to run: 64 ranks on 2 workers cost 64 switches and two messages between cores. All members share one
// Team.
class Team {
 public:
  // Runs once, after all members have arrived and before any goes on. It may run on any member's stack and on any
  // worker, so it must not call into a rank's program.
  using Action = void (*)(Team& team, void* argument);

  // members[i] is the rank with number i in the team. `workers`: those of this process, by number; they and the array
  // outlive the team. `worker_for_each`: the job began with no more ranks than this process has workers. Then members
  // may spin while they wait; one whose worker has other ranks to run does not.
  Team(std::vector<Member*> members, std::span<Worker* const> workers, bool worker_for_each);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
  Member& member(std::uint32_t number) const { return *members_[number]; }

  // Suspends `me` until every member has arrived. What members wrote before is visible to all of them after. All
  // members pass the same action at one barrier; its argument is taken from the member that arrives last on some
  // worker, so it must be equivalent in all of them.
  void barrier(Member& me, Action action = nullptr, void* argument = nullptr);
  // The same for a rank that waits for other things meanwhile: arrives, and `request` becomes something to wait for
  // (wait_any()) that is done once all have arrived. Until then the rank must not leave the team or move in a step.
  void arrive_for(Member& me, Action action, void* argument, Request& request);

  // On the worker's thread: a member has come to it; a member is about to leave it.
  void count_member_on(Worker& worker);
  void uncount_member_on(Worker& worker);

  // Where members show each other addresses: slot i belongs to member i. One written before barrier() may be read by
  // all after it, and written again only after a further barrier().
  struct ExchangeSlot {
    const void* words[6] = {};  // each collective call gives them its own meaning
  };
  ExchangeSlot& exchange_slot(std::uint32_t number) { return exchange_slots_[number]; }

  // A word of the member: its contribution to a collective call where 8 bytes suffice. Words are densely packed: one
  // core reads 64 of them in 8 cache lines.
  std::uint64_t& word(std::uint32_t number) { return words_[number]; }
  // The signature of the member's call: the action compares those of all members, to find out whether all make the same
  // call. Some calls compare another word here.
  std::uint64_t& signature(std::uint32_t number) { return signatures_[number]; }
  // What the action writes and members read after barrier(). Valid until the next barrier() of the team.
  struct Result {
    alignas(64) std::byte bytes[64];
  };
  Result& result() { return result_; }

  // Non-blocking collectives, whose order is independent of that of the barriers.
  DeferredCollectives& deferred_collectives() { return *deferred_collectives_; }
  // A barrier with data for few members in a job that has a worker for every rank; null in other teams.
  FlagExchange* flag_exchange() { return flag_exchange_.get(); }
  // Where members broadcast without a barrier. The first call of broadcast_ring() makes it; until then
  // broadcast_ring_if_made() returns null. Pairs with make_ring().
  BroadcastRing& broadcast_ring() {
    BroadcastRing* const made = ring_.load(std::memory_order_acquire);
    return made != nullptr ? *made : make_ring();
  }
  BroadcastRing* broadcast_ring_if_made() { return ring_.load(std::memory_order_acquire); }  // pairs with make_ring()
  // Asked by `member`: whether others have arrived at a barrier or a flag exchange at which it has not.
  bool others_arrived(std::uint32_t member) const;

 private:
  struct BarrierNode;  // what one worker knows of one barrier of the team: barrier_node.hpp
  struct WorkerShare;  // what one worker knows of the team

  BroadcastRing& make_ring();
  BarrierNode& node_of(const Worker& worker);  // for the next barrier
  // Counts the arrival of the running rank; true when it was the last one: then all have been woken.
  bool arrive(Worker& worker, Action action, void* argument);
  // Reports so many arrivals to the team; true when they were the last ones.
  bool report(std::uint32_t arrived);
  static void report_deferred(Worker& worker, DeferredWork& work);  // the arrivals that a node has not reported
  void complete(Worker& worker, BarrierNode& mine);                 // all have arrived: runs the action, wakes all
  static void wake(Worker& worker, BarrierNode& node);
  static void release(Worker& worker, InboxItem& item);

  std::vector<Member*> members_;              // by number; constant after construction
  std::vector<ExchangeSlot> exchange_slots_;  // by member
  // From the start of a cache line on, so that workers whose members have consecutive numbers write lines of their own.
  using AlignedWords = std::vector<std::uint64_t, boost::alignment::aligned_allocator<std::uint64_t, 64>>;
  AlignedWords words_;
  AlignedWords signatures_;
  const std::span<Worker* const> workers_;
  std::vector<WorkerShare> shares_;  // by worker, which alone touches its own: but see BarrierNode
  const std::unique_ptr<DeferredCollectives> deferred_collectives_;
  const std::unique_ptr<FlagExchange> flag_exchange_;
  std::atomic<BroadcastRing*> ring_ = nullptr;  // owned
  Result result_;
  alignas(64) std::atomic<std::uint32_t> missing_;  // members whose arrival at the current barrier is not reported
  std::atomic<std::uint32_t> barriers_over_ = 0;    // written by the worker that completes a barrier
};

}  // namespace sync
}  // namespace weft::runtime
