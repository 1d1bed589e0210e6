// How members in one process make communicators together: each brings a word (its color and key, say), and one member
// makes what each of them gets.
#pragma once

#include <cstdint>
#include <memory>

#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace comm {

// The members of one group of a communicator, in its order.
class Side {
 public:
  explicit Side(const CommShared& of) : shared(of) {}

  int size() const { return shared.group->size(); }
  std::uint64_t brought(int member) const {
    return shared.team == nullptr ? own_word : shared.team->small(static_cast<std::uint32_t>(member));
  }
  // The member owns a copy; to be called once for each member, unless it takes nothing.
  template <typename T>
  void give(int member, const std::shared_ptr<T>& thing) {
    place(member) = new std::shared_ptr<const T>(thing);
  }
  void give_nothing(int member) { place(member) = nullptr; }

  const void*& place(int member) {
    return shared.team == nullptr ? own_place : shared.team->exchange_slot(static_cast<std::uint32_t>(member)).words[0];
  }

  const CommShared& shared;
  std::uint64_t own_word = 0;  // a group of one rank has no team
  const void* own_place = nullptr;
};

// Runs on any member's stack once all have come: gives something or nothing to every member of both sides. `remote` is
// null for an intracommunicator; else `local` is side 0.
using Maker = void (*)(runtime::Job& job, Side& local, Side* remote);

// Collective over `comm`: suspends until all members have come. What `make` gave this member, or null.
const void* assemble(RankState& me, const Communicator& comm, std::uint64_t word, Maker make);

// The same with the copy taken over; T is what `make` gives.
template <typename T>
std::shared_ptr<const T> assemble_shared(RankState& me, const Communicator& comm, std::uint64_t word, Maker make) {
  const std::unique_ptr<const std::shared_ptr<const T>> taken(
      static_cast<const std::shared_ptr<const T>*>(assemble(me, comm, word, make)));
  return taken == nullptr ? nullptr : *taken;
}

// One word between two ranks, in a communicator's collective context: `peer` is a number in comm.peers().
void send_word(RankState& me, const Communicator& comm, int peer, int tag, std::uint64_t word);
std::uint64_t receive_word(RankState& me, const Communicator& comm, int peer, int tag);

// Tags of such words lie above those of collective operations.
inline constexpr int kWordTag = 1 << 30;

}  // namespace comm
}  // namespace weft::mpi_shim
