// The collective creation of communicators in a job of one process. Each member contributes a word, such as its colour
// and key, and one member makes the results of all.
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
  std::uint64_t contribution(int member) const {
    return shared.team == nullptr ? own_word : shared.team->word(static_cast<std::uint32_t>(member));
  }
  // The member gets a copy of `thing`. Each member's result must be set, to this or to nothing. A second call for the
  // same member would leak the first copy.
  template <typename T>
  void set_result(int member, const std::shared_ptr<T>& thing) {
    result_slot(member) = new std::shared_ptr<const T>(thing);
  }
  void set_no_result(int member) { result_slot(member) = nullptr; }

  const void*& result_slot(int member) {
    return shared.team == nullptr ? own_result
                                  : shared.team->exchange_slot(static_cast<std::uint32_t>(member)).words[0];
  }

  const CommShared& shared;
  std::uint64_t own_word = 0;  // a group of one rank has no team
  const void* own_result = nullptr;
};

// Runs on any member's stack once all have come: sets the results of all members of both sides. `remote` is null for an
// intracommunicator; else `local` is side 0.
using MakeResults = void (*)(runtime::Job& job, Side& local, Side* remote);

// Collective over `comm`: suspends until all members have come. Returns the result that `make` set for this member, or
// null.
const void* assemble(RankState& me, const Communicator& comm, std::uint64_t word, MakeResults make);

// The same, taking ownership of the result. `make` sets results of type T.
template <typename T>
std::shared_ptr<const T> assemble_shared(RankState& me, const Communicator& comm, std::uint64_t word,
                                         MakeResults make) {
  const std::unique_ptr<const std::shared_ptr<const T>> taken(
      static_cast<const std::shared_ptr<const T>*>(assemble(me, comm, word, make)));
  return taken == nullptr ? nullptr : *taken;
}

// A message of one word between two ranks, in a communicator's collective context. `peer` is a rank in comm.peers().
void send_word(RankState& me, const Communicator& comm, int peer, int tag, std::uint64_t word);
std::uint64_t receive_word(RankState& me, const Communicator& comm, int peer, int tag);

// Tags of such messages begin here, above those of collective operations.
inline constexpr int kWordTag = 1 << 30;

}  // namespace comm
}  // namespace weft::mpi_shim
