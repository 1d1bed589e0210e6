// The consistency check in the first barrier of every collective call in memory. Each member posts the signature of its
// call, and no buffer is touched unless all signatures are equal.
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
  neighbour,  // has no barrier and no check
};

// What all members of one call must pass alike, in 64 bits: the call, the root, and a detail that depends on the call:
// the bytes of a block (4 GiB - 1 for all larger ones), or a reduction's operation, datatype, and a hash of its count.
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

// Bytes of Team::result() that actions may use; signatures_match() needs the rest.
inline constexpr std::size_t kResultBytes = 56;

// Called first in every barrier action. False: the members' signatures differ, and the action must do nothing.
bool signatures_match(runtime::Team& team);

// Barrier with the consistency check. REQUIRES: the communicator has a team. `action` begins with signatures_match();
// without an action only the signatures are compared. Returns MPI_SUCCESS, or, where signatures differ, what the
// communicator's error handler returned; the call is over then. A member that is ahead of others in the broadcast ring
// waits for them and tries again instead.
int checked_barrier(const Entry& entry, const Communicator& comm, CallSignature signature,
                    runtime::Team::Action action = nullptr, void* argument = nullptr);

// The same without the handling of a mismatch. False: signatures differ, and each member must call resolve_mismatch().
bool signature_barrier(const Entry& entry, const Communicator& comm, CallSignature signature,
                       runtime::Team::Action action = nullptr, void* argument = nullptr);

// The team's flag exchange for a call whose members post up to `bytes` each; null if it has none or that is too small.
inline runtime::FlagExchange* flag_exchange_for(const Communicator& comm, std::size_t bytes) {
  runtime::FlagExchange* const flags = comm.team()->flag_exchange();
  return flags != nullptr && bytes <= runtime::FlagExchange::kBytes ? flags : nullptr;
}
// checked_barrier() by the flag exchange. On MPI_SUCCESS the members' pages may be read.
int checked_flag_exchange(const Entry& entry, const Communicator& comm, CallSignature signature);

// next_barrier() after members have called a user's operation. `failed`: an exception left it on this member. If any
// member failed, every member raises an error and returns it; else MPI_SUCCESS.
int barrier_after_operation(const Entry& entry, const Communicator& comm, bool failed);

// A barrier without the consistency check, for those after a call's first one.
void next_barrier(const Entry& entry, const Communicator& comm);

}  // namespace coll
}  // namespace weft::mpi_shim
