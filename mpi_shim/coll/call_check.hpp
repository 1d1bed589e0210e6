// The first barrier of every collective call: members say which call they make, and nothing is touched unless all
// agree.
#pragma once

#include <cstdint>

#include "mpi_shim/entry/entry.hpp"
#include "runtime/sync/flag_exchange.hpp"

namespace weft::mpi_shim {
inline namespace coll {

enum class Collective : std::uint8_t {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  finalize,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  neighbour,  // no barrier
};

// What the members of one call must have in common, in 64 bits: the call, the root, and a detail that depends on the
// call: the bytes of a block, or operation, datatype and count of a reduction.
class CallSignature {
 public:
  static CallSignature of_bytes(Collective call, int root, std::size_t bytes);
  static CallSignature of_reduction(Collective call, int root, MPI_Op op, const Datatype& type, std::uint64_t elements);

  explicit CallSignature(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits() const { return bits_; }
  Collective call() const { return static_cast<Collective>(bits_ >> 58); }
  int root() const { return static_cast<int>(bits_ >> 32 & 0x3ffffff); }
  std::uint32_t detail() const { return static_cast<std::uint32_t>(bits_); }

 private:
  std::uint64_t bits_;
};

// Bytes of Team::result() that actions may use; agree() needs the rest.
inline constexpr std::size_t kResultBytes = 56;

// The first line of every action: false when the members disagree, and then the action must do nothing.
bool agree(runtime::Team& team);

// Meets the other members of the communicator, which has a team. `action` begins with agree(); without one the members
// just agree. MPI_SUCCESS, or what the communicator's error handler returned when they disagree, at every member that
// has not been through more broadcasts in the stream than others: the call is over then.
int checked_barrier(const Entry& entry, const Communicator& comm, CallSignature signature,
                    runtime::Team::Action action = nullptr, void* argument = nullptr);

// The same once: false when they disagree, and then each must go on with resolve_mismatch().
bool signature_barrier(const Entry& entry, const Communicator& comm, CallSignature signature,
                       runtime::Team::Action action = nullptr, void* argument = nullptr);

// The flag exchange for a call whose members leave up to `bytes` each; null where they have none, or it is too small.
inline runtime::FlagExchange* flag_exchange_for(const Communicator& comm, std::size_t bytes) {
  runtime::FlagExchange* const flags = comm.team()->flag_exchange();
  return flags != nullptr && bytes <= runtime::FlagExchange::kBytes ? flags : nullptr;
}
// checked_barrier() at the flag exchange: the members' pages are there to be read if all agree.
int post_checked(const Entry& entry, const Communicator& comm, CallSignature signature);

// As next_barrier(), after members have called a user's operation: an exception left it at those that say `failed`. The
// error raised then, at every member, or MPI_SUCCESS.
int barrier_after_operation(const Entry& entry, const Communicator& comm, bool failed);

// The barriers after the first one of a call, in which all have agreed already.
void next_barrier(const Entry& entry, const Communicator& comm);

}  // namespace coll
}  // namespace weft::mpi_shim
