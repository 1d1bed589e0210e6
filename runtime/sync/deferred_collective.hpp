// Non-blocking collectives of a team, in memory: each member leaves its part and goes on; the last member to come acts
// for all and completes their requests.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/p2p/point_to_point.hpp"

namespace weft::runtime {
inline namespace sync {

class DeferredCollectives;
class Member;

// The context, which no message has, of what a member waits for until others of its team have come: for reports.
inline constexpr std::uint32_t kTeamContext = UINT32_MAX;

// One of them.
class DeferredCollective {
 public:
  explicit DeferredCollective(DeferredCollectives& its_set) : set_(its_set) {}

  // What a member leaves; what it points to stays in place until the member's request is done.
  struct ExchangeSlot {
    const void* words[5] = {};
    std::uint64_t mark = 0;  // what it is about to do
  };
  // Runs once all have come, on the stack of who came last: it must not call into a rank's program.
  using Action = void (*)(DeferredCollective& collective);

  // The member leaves `slot`. `over` becomes something to wait for (wait_any()) that is done once the action has run;
  // it stays in place until then. All members pass the same action.
  void come(Member& me, std::uint32_t member, const ExchangeSlot& slot, Action action, Request& over);

  std::uint32_t size() const { return static_cast<std::uint32_t>(exchange_slots_.size()); }
  // For the action.
  const ExchangeSlot& exchange_slot(std::uint32_t member) const { return exchange_slots_[member]; }

 private:
  friend class DeferredCollectives;
  DeferredCollectives& set_;
  std::uint32_t number_ = 0;
  std::atomic<std::uint32_t> missing_ = 0;
  std::vector<ExchangeSlot> exchange_slots_;  // by member; each written by the member, read by who comes last
  std::vector<Request*> requests_;            // by member
};

// Those of one team. Members number their collectives, all in the same order.
class DeferredCollectives {
 public:
  explicit DeferredCollectives(std::uint32_t members) : members_(members) {}

  // The one with this number. Each member comes to it once; it is gone when all have.
  DeferredCollective& at(std::uint32_t number);

 private:
  friend class DeferredCollective;
  std::vector<std::unique_ptr<DeferredCollective>>::iterator place_of(std::uint32_t number);
  void end(const DeferredCollective& collective);

  const std::uint32_t members_;
  std::mutex mutex_;                                       // guards what follows
  std::vector<std::unique_ptr<DeferredCollective>> open_;  // by number, which counts around
  std::vector<std::unique_ptr<DeferredCollective>> spare_;
};

}  // namespace sync
}  // namespace weft::runtime
