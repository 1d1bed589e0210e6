// Error reports of members that have called different collectives, or one with different arguments.
#pragma once

#include <optional>

#include "mpi_shim/coll/call_check.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// The call that one member makes.
struct MemberCall {
  int rank;  // in the communicator
  CallSignature signature;
};

// Raises an error that says in what the two members' calls differ; returns it.
int raise_mismatch(const Entry& entry, const Communicator& comm, const MemberCall& first, const MemberCall& second);

// The next broadcast in the ring is not the call that this member makes: raises the mismatch and returns the error. The
// member counts as having taken part in that broadcast.
int raise_broadcast_mismatch(const Entry& entry, const Communicator& comm, CallSignature signature);

// Every member calls this after a barrier has found different signatures; members synchronize again in it. Returns
// nothing if the member must try its call again: because it is ahead of others in the broadcast ring, or because the
// broadcast that it has missed is the one that it calls for. Otherwise the call is over with the error returned.
std::optional<int> resolve_mismatch(const Entry& entry, const Communicator& comm, CallSignature signature);

}  // namespace coll
}  // namespace weft::mpi_shim
