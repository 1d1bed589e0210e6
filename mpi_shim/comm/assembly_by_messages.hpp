// Communicators made by messages, in a job of several processes: every member works out for itself what one of them
// would give all in shared memory (assembly.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mpi_shim/comm/peers.hpp"

namespace weft::mpi_shim {
inline namespace comm {

// What the members of one group brought.
class Brought {
 public:
  int size() const { return static_cast<int>(starts_.size()); }
  std::span<const int> of(int member) const;

  void add(std::span<const int> words);
  // As one row of ints, and back.
  std::vector<int> packed() const;
  static Brought unpacked(std::span<const int> row);
  void append(const Brought& others);

 private:
  std::vector<std::size_t> starts_;
  std::vector<int> words_;
};

// The same at every member.
struct Assembled {
  Brought sides[2];  // by CommShared::side; an intracommunicator has side 0 only
  std::uint32_t first_context = 0;
};

// How many communicators come of what all brought.
using CountContexts = std::function<std::uint32_t(const Assembled& assembled)>;

// Collective over `comm`, suspends. Reserves the context numbers of as many communicators as `count` says: the first
// one's, and the others' at distances of process_count().
Assembled assemble_by_messages(RankState& me, const Communicator& comm, std::span<const int> words,
                               const CountContexts& count);

// Collective over the group, of which the calling rank is a member; in calls that overlap with others of the same tag,
// members must not come twice in different orders. The context number of a communicator of its members. Suspends all
// but member 0.
std::uint32_t agree_on_context(RankState& me, std::uint32_t carrier, const Group& group, int tag);

}  // namespace comm
}  // namespace weft::mpi_shim
