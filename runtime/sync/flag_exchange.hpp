// A barrier with data for a few members that each have a worker of their own: each writes its page and its flag, and
// polls those of the others. It costs the transfer of one cache line from each core to each other one.
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

// All members take part in the same exchanges in the same order, and go on once all have posted. A member may read what
// the others have posted until its own next post().
class FlagExchange {
 public:
  static constexpr std::uint32_t kMostMembers = 8;
  static constexpr std::size_t kBytes = 1024;

  explicit FlagExchange(std::uint32_t members);

  std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }

  // kBytes that a member writes before post(), for the others to read.
  std::byte* next_page(std::uint32_t member) {
    return members_[member].postings[(members_[member].number + 1) % 2].bytes;
  }
  // Shows the member's page and call signature (or another word that members compare) to the others.
  void post(std::uint32_t member, std::uint64_t signature);
  // Whether some have posted in an exchange that `member` has not come to.
  bool others_have_posted(std::uint32_t member) const;
  // After post(): true once all members have posted. Spins a little as long as `worker`, which runs the member, has
  // nothing else to do.
  bool all_posted(Worker& worker, std::uint32_t member);
  // After post(): `request` becomes something to wait for (wait_any()) that is done once all members have posted.
  void await_all(Member& me, std::uint32_t member, Request& request);

  // Once all have posted, for `reader`: what `member` has posted.
  std::uint64_t signature(std::uint32_t reader, std::uint32_t member) const {
    return posting(reader, member).signature;
  }
  const std::byte* page(std::uint32_t reader, std::uint32_t member) const { return posting(reader, member).bytes; }

 private:
  // Each member uses two in turn: when it posts again it has seen all others post, so that nobody reads the one before
  // the last any more. Written by its member, read by the others once they see the number.
  struct alignas(64) Posting {
    std::atomic<std::uint32_t> number = 0;
    std::uint64_t signature = 0;
    std::byte bytes[kBytes];
  };
  struct alignas(64) MemberState {
    std::uint32_t number = 0;  // of the member's last posting; touched by that member only
    std::array<Posting, 2> postings;
  };

  const Posting& posting(std::uint32_t reader, std::uint32_t member) const {
    return members_[member].postings[members_[reader].number % 2];
  }
  struct Sleeper {
    Request* request = nullptr;
    std::uint32_t number = 0;  // the posting that it waits for
  };
  bool complete(std::uint32_t number) const;
  bool has_sleepers();
  void wake_sleepers(std::uint32_t number);

  std::vector<MemberState> members_;       // by member
  std::atomic<std::uint32_t> asleep_ = 0;  // how many members sleep or are about to; at least the length of sleepers_
  std::mutex mutex_;                       // guards what follows
  std::vector<Sleeper> sleepers_;
};

}  // namespace sync
}  // namespace weft::runtime
