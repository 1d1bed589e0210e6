#include "mpi_shim/coll/sides.hpp"

#include <algorithm>
#include <string_view>

namespace weft::mpi_shim {
inline namespace coll {
namespace {

int check_types(const Entry& entry, const Communicator& comm, int partners, const BlockSide& side, SideBlocks& blocks) {
  if (side.datatypes == nullptr && partners > 0) {
    return entry.raise(comm.handle, MPI_ERR_ARG, "the datatypes of {} are null", side.buffer.name);
  }
  for (int i = 0; i < partners; ++i) {
    const Datatype* const type = find_datatype(entry.me, side.datatypes[i]);
    if (type == nullptr || !type->committed) {
      return entry.raise(comm.handle, MPI_ERR_TYPE, "datatype {} of {} is not a committed datatype", i,
                         side.buffer.name);
    }
    blocks.own_types.push_back(type);
  }
  if (side.buffer.address == MPI_IN_PLACE) {
    return raise_not_in_place(entry, comm, side.buffer.name);
  }
  blocks.base = side.buffer.address;
  blocks.types = blocks.own_types.data();
  return MPI_SUCCESS;
}

}  // namespace

int check_side(const Entry& entry, const Communicator& comm, int partners, const BlockSide& side, SideBlocks& blocks) {
  BufferArgument buffer = side.buffer;
  if (partners == 0) {  // there are no blocks, so the buffer may be null
    buffer.count = std::min<MPI_Count>(buffer.count, 0);
  }
  int error = side.shape == Shape::types ? check_types(entry, comm, partners, side, blocks)
                                         : check_buffer(entry, comm, buffer, blocks);
  if (error != MPI_SUCCESS || side.shape == Shape::same) {
    return error;
  }
  blocks.counts = side.counts;
  blocks.displacements = side.displacements;
  if (!side.displacements && partners > 0) {
    return entry.raise(comm.handle, MPI_ERR_ARG, "the displacements of {} are null", side.buffer.name);
  }
  const char* const counts = std::string_view(side.buffer.name) == "sendbuf" ? "sendcounts" : "recvcounts";
  error = check_counts(entry, comm, counts, side.counts, partners);
  return error == MPI_SUCCESS ? check_block_addresses(entry, comm, side.buffer.name, blocks, partners) : error;
}

}  // namespace coll
}  // namespace weft::mpi_shim
