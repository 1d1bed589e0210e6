// The counterpart of assembly.hpp in a job of several processes: all members get all contributions by messages, and
// each computes its own result from them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mpi_shim/comm/peers.hpp"

namespace weft::mpi_shim {
inline namespace comm {

// The ints that each member of one group contributes.
class Contributions {
 public:
  int size() const { return static_cast<int>(starts_.size()); }
  std::span<const int> of(int member) const;

  void add(std::span<const int> words);
  // All of them as one vector of ints, and back.
  std::vector<int> packed() const;
  static Contributions unpacked(std::span<const int> row);
  void append(const Contributions& others);

 private:
  std::vector<std::size_t> starts_;
  std::vector<int> words_;
};

// What all members get; equal at all of them.
struct Assembled {
  Contributions sides[2];  // by CommShared::side; an intracommunicator has side 0 only
  std::uint32_t first_context = 0;
};

// Computes from the contributions of all how many communicators are made.
using CountContexts = std::function<std::uint32_t(const Assembled& assembled)>;

// Collective over `comm`; suspends. Reserves context numbers for as many communicators as `count` returns:
// first_context, and the others at distances of process_count().
Assembled assemble_by_messages(RankState& me, const Communicator& comm, std::span<const int> words,
                               const CountContexts& count);

// Collective over the group, of which the calling rank is a member. Returns the context number of a new communicator of
// its members. `carrier` is the context of the members' messages. Suspends all members but member 0, with --survive api
// member 0 too. Calls with the same tag may overlap, but two ranks that take part in both must make them in the same
// order.
std::uint32_t agree_on_context(RankState& me, std::uint32_t carrier, const Group& group, int tag);

}  // namespace comm
}  // namespace weft::mpi_shim
