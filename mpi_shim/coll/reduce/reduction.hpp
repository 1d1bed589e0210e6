// Combining the members' vectors, element by element and always in one tree over the rank numbers, so that the result
// has the same bits whatever the number of workers and wherever ranks are: the value of members [i, i + 2n), i a
// multiple of 2n and n a power of two, is that of [i, i + n) op that of [i + n, i + 2n); where the group ends within a
// range, that of the members there are. Prefixes (MPI_Scan, MPI_Exscan) are combined from left to right.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi_shim/coll/blocks.hpp"
#include "mpi_shim/coll/call_check.hpp"
#include "mpi_shim/coll/reduction_arguments.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// Finds type and operation, checks them and the count, and fills in the fields from `type` on. With MPI_IN_PLACE as
// `buffer.address` the input is the output. MPI_SUCCESS or the error raised.
int prepare_reduction(const Entry& entry, const Communicator& comm, const BufferArgument& buffer, MPI_Op op,
                      Reduction& reduction);

// Vectors of up to a word, of a predefined operation.
struct WordReduction {
  Kernel kernel;
  std::size_t elements;
  const Datatype& type;
};
inline constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

// Combines a word of each member in one barrier; `word` is the member's, zero behind its elements, and then, if
// MPI_SUCCESS, the result. For communicators that do not span processes.
int reduce_words(const Entry& entry, const Communicator& comm, CallSignature signature, WordReduction reduction,
                 std::uint64_t& word);

// Runs the reduction together with the other members. MPI_SUCCESS or the error raised.
int reduce_together(const Entry& entry, const Communicator& comm, Reduction& reduction);

}  // namespace coll
}  // namespace weft::mpi_shim
