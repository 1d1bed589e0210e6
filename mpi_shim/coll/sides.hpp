// The send side and the receive side of calls that exchange a block with each of several partners.
#pragma once

#include <vector>

#include "mpi_shim/coll/blocks.hpp"

namespace weft::mpi_shim {

enum class Shape : std::uint8_t {
  same,    // all blocks alike
  counts,  // counts and displacements
  types,   // counts, displacements in bytes, and datatypes
};

// As the caller passed it. `part` has the datatype unless the shape is `types`, and the count if the shape is `same`.
struct BlockSide {
  Part part;
  Numbers counts;
  Numbers displacements;
  const MPI_Datatype* datatypes = nullptr;
};

// The datatypes of a side by address instead of handle.
using Types = std::vector<const Datatype*>;

// MPI_SUCCESS and the side's blocks, which use `types`; or the error raised.
int check_side(const Entry& entry, const Communicator& comm, int partners, Shape shape, const BlockSide& side,
               Blocks& blocks, Types& types);

}  // namespace weft::mpi_shim
