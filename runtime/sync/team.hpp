// A team: the members of a communicator that all live in this process. Its barrier in memory is what collective calls
// are made of.
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

// The in-memory barrier: each member arrives, and all go on once the last has arrived. Arrivals are counted per worker
// without atomics and reported in one step when the worker's last member has arrived or the worker has nothing else to
// run; so 64 ranks on 2 workers cost 64 switches and two messages between cores. One Team is shared by all its members.
class Team {
 public:
  // What the last arrival runs, once, after all have arrived and before anyone goes on. It may run on any member's
  // stack and on any worker, so it must not call into a rank's program.
  using Action = void (*)(Team& team, void* argument);

  // members[i] is the rank with number i in the team. `workers`: those of this process, by number; they outlive it, and
  // so does the array. `worker_for_each`: no two ranks of the job share a worker, so that members may spin.
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
  // The same for a rank that has other things to wait for meanwhile: arrives, and `over` becomes something to wait for
  // (wait_any()) that is done once all have arrived. Until then the rank must not leave the team or move in a step.
  void arrive_for(Member& me, Action action, void* argument, Request& over);

  // A member is about to leave this worker, or has come to it. On that worker's thread.
  void leaves(Worker& worker);
  void joins(Worker& worker);

  // Where members show each other addresses: slot i belongs to member i. One written before barrier() may be read by
  // all after it, and written again only after a further barrier().
  struct ExchangeSlot {
    const void* words[6] = {};  // 48 bytes, of whatever the collective needs
  };
  ExchangeSlot& exchange_slot(std::uint32_t number) { return exchange_slots_[number]; }

  // Small contributions, densely packed (8 bytes each) so that one core reads 64 of them in 8 cache lines, and a result
  // that the action writes and members read after barrier(). The result stays valid until the next barrier() of the
  // team.
  std::uint64_t& small(std::uint32_t number) { return small_[number]; }
  // What each member says it is about to do, so that the action can see that all mean the same; written like small().
  std::uint64_t& mark(std::uint32_t number) { return marks_[number]; }
  struct Result {
    alignas(64) std::byte bytes[64];
  };
  Result& result() { return result_; }

  // Collectives that nobody waits in, beside the barriers and in an order of their own.
  DeferredCollectives& deferred_collectives() { return *deferred_collectives_; }
  // The same for few members in a job that has a worker for every rank; null in others.
  FlagExchange* flag_exchange() { return flag_exchange_.get(); }
  // Where members broadcast without a barrier, made when it is first asked for; and the same if anybody has. Pairs with
  // make_ring().
  BroadcastRing& broadcast_ring() {
    BroadcastRing* const made = ring_.load(std::memory_order_acquire);
    return made != nullptr ? *made : make_ring();
  }
  BroadcastRing* broadcast_ring_if_made() { return ring_.load(std::memory_order_acquire); }  // pairs with make_ring()
  // Some have come to a barrier that is not over, or to the flag exchange, and `member`, who asks, has not.
  bool others_arrived(std::uint32_t member) const;

 private:
  struct BarrierNode;  // what one worker knows of one barrier of the team; barrier_node.hpp
  struct WorkerShare;  // what it knows of the team

  BroadcastRing& make_ring();
  BarrierNode& here(const Worker& worker);  // of the next barrier
  // Counts the arrival of the running rank; true when it was the last one and all have been woken.
  bool arrive(Worker& worker, Action action, void* argument);
  // Tells the team of so many arrivals; true when they were the last ones.
  bool count(std::uint32_t arrived);
  static void report(Worker& worker, DeferredWork& work);  // reports the node's arrivals to the team
  void complete(Worker& worker, BarrierNode& mine);        // all have arrived
  static void wake(Worker& worker, BarrierNode& node);
  static void release(Worker& worker, InboxItem& item);

  std::vector<Member*> members_;
  std::vector<ExchangeSlot> exchange_slots_;
  // From the start of a cache line on, so that workers whose members have consecutive numbers write lines of their own.
  using AlignedWords = std::vector<std::uint64_t, boost::alignment::aligned_allocator<std::uint64_t, 64>>;
  AlignedWords small_;
  AlignedWords marks_;
  const std::span<Worker* const> workers_;
  std::vector<WorkerShare> shares_;  // by worker
  const std::unique_ptr<DeferredCollectives> deferred_collectives_;
  const std::unique_ptr<FlagExchange> flag_exchange_;
  std::atomic<BroadcastRing*> ring_ = nullptr;
  Result result_;
  alignas(64) std::atomic<std::uint32_t> missing_;
  std::atomic<std::uint32_t> barriers_over_ = 0;
};

}  // namespace sync
}  // namespace weft::runtime
