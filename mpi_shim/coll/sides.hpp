// The send side and the receive side of calls that exchange a block with each of several partners.
#pragma once

#include <vector>

#include "mpi_shim/coll/blocks.hpp"

namespace weft::mpi_shim {
inline namespace coll {

enum class Shape : std::uint8_t {
  same,    // one count for all blocks
  counts,  // counts and displacements
  types,   // counts, displacements in bytes, and datatypes
};

// One side as the caller passed it. `buffer` has the datatype unless the shape is `types`, and the count if the shape
// is `same`.
struct BlockSide {
  Shape shape;
  BufferArgument buffer;
  ArrayArgument counts;
  ArrayArgument displacements;
  const MPI_Datatype* datatypes = nullptr;
};

// A side's blocks; owns the array of datatypes where each block has its own.
struct SideBlocks : Blocks {
  SideBlocks() = default;
  SideBlocks(const SideBlocks&) = delete;
  SideBlocks& operator=(const SideBlocks&) = delete;

  std::vector<const Datatype*> own_types;
};

// MPI_SUCCESS and the side's blocks, or the error raised.
int check_side(const Entry& entry, const Communicator& comm, int partners, const BlockSide& side, SideBlocks& blocks);

}  // namespace coll
}  // namespace weft::mpi_shim
