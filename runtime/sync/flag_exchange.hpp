// A barrier with data for a few members that each have a worker of their own: each writes its page and its flag, and
// looks at those of the others. It costs one cache line's way from each core to each.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/p2p/request.hpp"

namespace weft::runtime {
inline namespace sched {
class Worker;
}  // namespace sched

inline namespace sync {

class Member;

// Members post in the same order, and go on once all have posted. What a member reads of a posting stays until its own
// next post().
class FlagExchange {
 public:
  static constexpr std::uint32_t kMostMembers = 8;
  static constexpr std::size_t kBytes = 1024;

  explicit FlagExchange(std::uint32_t members);

  std::uint32_t size() const { return static_cast<std::uint32_t>(sides_.size()); }

  // Where a member writes, before post(), what the others are to read; kBytes of room.
  std::byte* next_page(std::uint32_t member) { return sides_[member].postings[(sides_[member].number + 1) % 2].bytes; }
  // Shows page and mark to the others.
  void post(std::uint32_t member, std::uint64_t mark);
  // Some have posted what `member` has not.
  bool others_came(std::uint32_t member) const;
  // After post(): true once all members have posted. Spins a little as long as `worker`, which runs the member, has
  // nothing else to do.
  bool all_posted(Worker& worker, std::uint32_t member);
  // After post(): `over` becomes something to wait for (wait_any()) that is done once all members have posted.
  void await_all(Member& me, std::uint32_t member, Request& over);

  // Once all have posted, for `reader`: what `member` did.
  std::uint64_t mark(std::uint32_t reader, std::uint32_t member) const { return posting(reader, member).mark; }
  const std::byte* page(std::uint32_t reader, std::uint32_t member) const { return posting(reader, member).bytes; }

 private:
  // Two take turns: who posts again has seen all others post, so that nobody reads the one before any more.
  struct alignas(64) Posting {
    std::atomic<std::uint32_t> number = 0;
    std::uint64_t mark = 0;
    std::byte bytes[kBytes];
  };
  struct alignas(64) Side {
    std::uint32_t number = 0;  // of the member's last posting; touched by the member alone
    std::array<Posting, 2> postings;
  };

  const Posting& posting(std::uint32_t reader, std::uint32_t member) const {
    return sides_[member].postings[sides_[reader].number % 2];
  }
  struct Sleeper {
    Request* over = nullptr;
    std::uint32_t number = 0;  // the posting that it waits for
  };
  bool complete(std::uint32_t number) const;
  bool anyone_sleeps();
  void wake_sleepers(std::uint32_t number);

  std::vector<Side> sides_;  // by member
  std::atomic<std::uint32_t> asleep_ = 0;
  std::mutex mutex_;  // guards what follows
  std::vector<Sleeper> sleepers_;
};

}  // namespace sync
}  // namespace weft::runtime
