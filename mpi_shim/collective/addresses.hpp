// What collective calls say of addresses that cannot be buffers.
#pragma once

#include "mpi_shim/collective/blocks.hpp"

namespace weft::mpi_shim {

// Complains about MPI_IN_PLACE where the call needs an address.
int raise_not_in_place(const Entry& entry, const Communicator& comm, const char* name);
// Whether `n` blocks, whose counts were checked, have an address if they hold something.
int check_places(const Entry& entry, const Communicator& comm, const char* name, const Blocks& blocks, int n);

}  // namespace weft::mpi_shim
