// What members do who have met and do not agree.
#pragma once

#include <optional>

#include "mpi_shim/coll/call_check.hpp"

namespace weft::mpi_shim {

// `first` is what rank `a` of the communicator is about to do, `second` what rank `b` is.
int raise_disagreement(const Entry& entry, const Communicator& comm, int a, CallSignature first, int b,
                       CallSignature second);

// A broadcast in the stream that is not the call which the member is in: the call is over with this error, and the
// member has been through that broadcast.
int refuse_streamed(const Entry& entry, const Communicator& comm, CallSignature mark);

// All members have met, and have found that they do not agree. Some may have been through more broadcasts in the stream
// than others: those wait, with nothing as the result, and meet again; the others' call is over with an error.
std::optional<int> settle_disagreement(const Entry& entry, const Communicator& comm, CallSignature mark);

}  // namespace weft::mpi_shim
