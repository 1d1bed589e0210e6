// Members of a communicator have called different collectives: every member reports it.
#pragma once

#include <optional>

#include "mpi_shim/coll/call_check.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// What one member does.
struct MemberCall {
  int rank;  // in the communicator
  CallSignature signature;
};

// `first` is what rank `a` of the communicator is about to do, `second` what rank `b` is.
int raise_mismatch(const Entry& entry, const Communicator& comm, const MemberCall& first, const MemberCall& second);

// A broadcast in the stream that is not the call which the member is in: the call is over with this error, and the
// member has been through that broadcast.
int refuse_streamed(const Entry& entry, const Communicator& comm, CallSignature signature);

// All members have met, and have found that they do not agree. Some may have been through more broadcasts in the stream
// than others: those wait, with nothing as the result, and have synchronized again; the others' call is over with an
// error.
std::optional<int> resolve_mismatch(const Entry& entry, const Communicator& comm, CallSignature signature);

}  // namespace coll
}  // namespace weft::mpi_shim
