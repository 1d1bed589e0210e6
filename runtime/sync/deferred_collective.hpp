// Non-blocking collectives of a team, in memory: each member leaves its arguments and goes on; the last one to arrive
// does the work for all and completes their requests.
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

// A context that no message has. Reports recognize by it a request that is done once other members of a team arrive.
inline constexpr std::uint32_t kTeamContext = UINT32_MAX;

class DeferredCollective {
 public:
  explicit DeferredCollective(DeferredCollectives& its_set) : set_(its_set) {}

  // A member's arguments; what they point to stays in place until the member's request is done.
  struct Contribution {
    const void* words[5] = {};
    std::uint64_t signature = 0;  // of the member's call
  };
  // Runs once all members have arrived, on the stack of the last one: it must not call into a rank's program.
  using Action = void (*)(DeferredCollective& collective);

  // The member leaves `contribution`. `request` becomes something to wait for (wait_any()) that is done once the action
  // has run; it stays in place until then. All members pass the same action.
  void contribute(Member& me, std::uint32_t member, const Contribution& contribution, Action action, Request& request);

  std::uint32_t size() const { return static_cast<std::uint32_t>(contributions_.size()); }
  // For the action.
  const Contribution& contribution(std::uint32_t member) const { return contributions_[member]; }

 private:
  friend class DeferredCollectives;
  DeferredCollectives& set_;
  std::uint32_t number_ = 0;                 // constant until all have contributed
  std::atomic<std::uint32_t> missing_ = 0;   // members that have not contributed
  std::vector<Contribution> contributions_;  // by member: written by that one, read by the last one to arrive
  std::vector<Request*> requests_;           // by member
};

// The deferred collectives of one team. Each member numbers those that it takes part in, in the same order.
class DeferredCollectives {
 public:
  explicit DeferredCollectives(std::uint32_t members) : members_(members) {}

  // The one with this number, made when the first member asks for it. Each member contributes to it once; it ends when
  // all have.
  DeferredCollective& at(std::uint32_t number);

 private:
  friend class DeferredCollective;
  // Where the one with this number is, or belongs. REQUIRES: the caller holds mutex_.
  std::vector<std::unique_ptr<DeferredCollective>>::iterator place_of(std::uint32_t number);
  void end(const DeferredCollective& collective);  // keeps it in spare_, for another number

  const std::uint32_t members_;
  std::mutex mutex_;                                       // guards what follows
  std::vector<std::unique_ptr<DeferredCollective>> open_;  // in the order of their numbers, which wrap around
  std::vector<std::unique_ptr<DeferredCollective>> spare_;
};

}  // namespace sync
}  // namespace weft::runtime
