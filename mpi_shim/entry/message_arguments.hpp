// The arguments of calls that send, receive or pack.
#pragma once

#include "mpi_shim/entry/entry.hpp"

namespace weft::mpi_shim {
inline namespace entry {

// The arguments of a call that sends or receives, as the user gave them. `peer` is dest or source.
struct MessageArguments {
  const void* address;
  MPI_Count count;
  MPI_Datatype datatype;
  int peer;
  int tag;
  MPI_Comm comm;
};

// Reports the first wrong argument of a call without a peer through the error handler and returns its class: a null or
// uncommitted type, a negative count, a null buffer. MPI_SUCCESS when nothing is wrong.
[[gnu::noinline, gnu::cold]] int refuse_buffer(const Entry& entry, const MessageArguments& call);

}  // namespace entry
}  // namespace weft::mpi_shim
