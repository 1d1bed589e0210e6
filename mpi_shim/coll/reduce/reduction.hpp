// Blocking reductions of any outcome whose arguments are checked. In memory they combine in the order that
// steps/tree.hpp describes, as algorithms by messages do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mpi_shim/coll/call_check.hpp"
#include "mpi_shim/coll/reduction_arguments.hpp"

namespace weft::mpi_shim {
inline namespace coll {

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
