// Combining the members' vectors, element by element and always in one tree over the rank numbers, so that the result
// has the same bits whatever the number of workers and wherever ranks are: the value of members [i, i + 2n), i a
// multiple of 2n and n a power of two, is that of [i, i + n) op that of [i + n, i + 2n); where the group ends within a
// range, that of the members there are. Prefixes (MPI_Scan, MPI_Exscan) are combined from left to right.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mpi_shim/coll/blocks.hpp"
#include "mpi_shim/coll/call_check.hpp"
#include "mpi_shim/error/kept_exception.hpp"

namespace weft::mpi_shim {

// Where results go.
enum class Outcome : std::uint8_t {
  at_root,    // the whole at one member
  at_all,     // the whole at each member
  scattered,  // block i of the whole at member i
  scan,       // at member i, members 0 … i combined
  exscan,     // at member i, members 0 … i - 1 combined; nothing at member 0
};

// A checked call. Elements are those of the kernel, or the datatype's for a user's operation.
struct Reduction {
  Collective call = Collective::reduce;
  Outcome outcome = Outcome::at_root;
  int root = 0;
  const void* input = nullptr;  // never MPI_IN_PLACE
  void* output = nullptr;       // may be MPI_BOTTOM
  bool has_output = false;      // the member gets something
  const Datatype* type = nullptr;
  std::size_t count = 0;     // of `type`, in the whole vector
  std::size_t elements = 0;  // in the whole vector
  MPI_Op op = MPI_OP_NULL;
  Kernel kernel = nullptr;  // null: `own`
  const Op* own = nullptr;
  KeptException* kept = nullptr;        // with `own`: what leaves it, after which it is not called again
  std::span<const std::size_t> starts;  // outcome scattered: block i is elements starts[i] … starts[i + 1]
  std::uint64_t fingerprint = 0;        // what else the members must have in common
};

// Finds type and operation, checks them and the count, and fills in the fields from `type` on. With MPI_IN_PLACE as
// `part.address` the input is the output. MPI_SUCCESS or the error raised.
int prepare_reduction(const Entry& entry, const Communicator& comm, const Part& part, MPI_Op op, Reduction& reduction);

// What the members must have in common.
CallSignature signature_of(const Reduction& reduction);

// What memory of their own `count` elements need, count > 0: so many bytes, the first of which stands for `low` behind
// the elements' address. The address itself need not be in it. `low` keeps the address's alignment.
struct Room {
  MPI_Aint low;
  std::size_t bytes;
};
Room room_of(const Datatype& type, std::size_t count);

// Makes `memory` large enough for `count` elements, count > 0, and returns the address that they have in it as a
// buffer.
void* room_for(const Datatype& type, std::size_t count, std::vector<std::max_align_t>& memory);

// Vectors of up to a word, of a predefined operation.
struct WordReduction {
  Kernel kernel;
  std::size_t elements;
  const Datatype& type;
};
inline constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

// Combines a word of each member in one meeting; `word` is the member's, zero behind its elements, and then, if
// MPI_SUCCESS, the result. For communicators that do not span processes.
int reduce_words(const Entry& entry, const Communicator& comm, CallSignature signature, WordReduction reduction,
                 std::uint64_t& word);

// Runs the reduction together with the other members. MPI_SUCCESS or the error raised.
int reduce_together(const Entry& entry, const Communicator& comm, Reduction& reduction);

}  // namespace weft::mpi_shim
