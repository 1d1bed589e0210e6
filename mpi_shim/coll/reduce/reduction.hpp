// Reductions, element by element and always in one fixed tree over the rank numbers. So the result has the same bits
// for any number of workers and wherever ranks are. Let n be a power of two and i a multiple of 2n: the value of
// members [i, i + 2n) is that of [i, i + n) op that of [i + n, i + 2n). A range that the group's end cuts has the value
// of its members in the group. Prefixes (MPI_Scan, MPI_Exscan) are combined from left to right.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi_shim/coll/blocks.hpp"
#include "mpi_shim/coll/call_check.hpp"
#include "mpi_shim/coll/reduction_arguments.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// Looks up datatype and operation, checks them and the count, and fills in the fields from `type` on. With MPI_IN_PLACE
// as `buffer.address` the input is the output. MPI_SUCCESS or the error raised.
int prepare_reduction(const Entry& entry, const Communicator& comm, const BufferArgument& buffer, MPI_Op op,
                      Reduction& reduction);

// A reduction by a predefined operation of vectors of at most kWordBytes.
struct WordReduction {
  Kernel kernel;
  std::size_t elements;
  const Datatype& type;
};
inline constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

// Combines one word of each member in one barrier. `word` is the member's vector, padded with zeros; on MPI_SUCCESS it
// is the result. REQUIRES: the communicator has a team.
int reduce_words(const Entry& entry, const Communicator& comm, CallSignature signature, WordReduction reduction,
                 std::uint64_t& word);

// A blocking reduction on an intracommunicator. MPI_SUCCESS or the error raised.
int reduce_intracomm(const Entry& entry, const Communicator& comm, Reduction& reduction);

}  // namespace coll
}  // namespace weft::mpi_shim
