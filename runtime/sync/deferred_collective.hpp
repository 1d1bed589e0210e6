// Collectives of a team that nobody waits in: each member leaves its part and goes on; the last member to come acts for
// all and completes their requests.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/p2p/point_to_point.hpp"

namespace weft::runtime {

class Member;

// The context, which no message has, of what a member waits for until all have come: for reports.
inline constexpr std::uint32_t kAppointmentContext = UINT32_MAX;

// One of them.
class DeferredCollective {
 public:
  // What a member leaves; what it points to stays in place until the member has been told.
  struct ExchangeSlot {
    const void* words[5] = {};
    std::uint64_t mark = 0;  // what it is about to do
  };
  // Runs once all have come, on the stack of who came last: it must not call into a rank's program.
  using Action = void (*)(DeferredCollective& collective);

  std::uint32_t size() const { return static_cast<std::uint32_t>(cells_.size()); }
  // For the action.
  const ExchangeSlot& cell(std::uint32_t member) const { return cells_[member]; }

 private:
  friend class DeferredCollectives;
  std::uint32_t number_ = 0;
  std::atomic<std::uint32_t> missing_ = 0;
  std::vector<ExchangeSlot> cells_;  // by member; each written by the member, read by who comes last
  std::vector<Request*> told_;
};

// Those of one team. Members number their collectives, all in the same order.
class DeferredCollectives {
 public:
  explicit DeferredCollectives(std::uint32_t members) : members_(members) {}

  // The member leaves `cell` at collective `number`. `over` becomes something to wait for (wait_any()) that is done
  // once the action has run; it stays in place until then. All members of an collective pass the same action.
  void come(Member& me, std::uint32_t member, std::uint32_t number, const DeferredCollective::ExchangeSlot& cell,
            DeferredCollective::Action action, Request& over);

 private:
  std::vector<std::unique_ptr<DeferredCollective>>::iterator place_of(std::uint32_t number);
  DeferredCollective& find_or_make(std::uint32_t number);
  void end(const DeferredCollective& collective);

  const std::uint32_t members_;
  std::mutex mutex_;                                       // guards what follows
  std::vector<std::unique_ptr<DeferredCollective>> open_;  // by number, which counts around
  std::vector<std::unique_ptr<DeferredCollective>> spare_;
};

}  // namespace weft::runtime
