// A checked reduction, as calls that synchronize in memory and algorithms by messages take it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mpi_shim/coll/call_check.hpp"
#include "mpi_shim/error/pending_exception.hpp"
#include "mpi_shim/op/op.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// Which members get what of the result.
enum class Outcome : std::uint8_t {
  at_root,    // one member gets the whole vector
  at_all,     // each member gets the whole vector
  scattered,  // member i gets block i
  scan,       // at member i, members 0 … i combined
  exscan,     // at member i, members 0 … i - 1 combined; nothing at member 0
};

// A checked call. An element is what the kernel works on, or one item of the datatype for a user's operation.
struct Reduction {
  Collective call = Collective::reduce;
  Outcome outcome = Outcome::at_root;
  int root = 0;
  const void* input = nullptr;  // never MPI_IN_PLACE
  void* output = nullptr;       // may be MPI_BOTTOM
  bool has_output = false;      // the member gets a result
  const Datatype* type = nullptr;
  std::size_t count = 0;     // of `type`, in the whole vector
  std::size_t elements = 0;  // in the whole vector
  MPI_Op op = MPI_OP_NULL;
  Kernel kernel = nullptr;                        // null: `user_op`
  const Op* user_op = nullptr;                    // the program's operation
  PendingException* pending_exception = nullptr;  // with `user_op`: holds its exception; then it is not called again
  std::span<const std::size_t> starts;            // outcome scattered: block i is elements starts[i] … starts[i + 1]
  std::uint64_t fingerprint = 0;                  // hash of what else the members must have in common
};

// The checked call. Cannot be copied: `reduction` refers to `starts`.
struct CheckedReduction {
  CheckedReduction() = default;
  CheckedReduction(const CheckedReduction&) = delete;
  CheckedReduction& operator=(const CheckedReduction&) = delete;

  Communicator* comm = nullptr;
  bool in_place = false;
  Reduction reduction;
  std::vector<std::size_t> starts;
};

// The signature that all members must have in common.
inline CallSignature signature_of(const Reduction& reduction) {
  return CallSignature::of_reduction(reduction.call, reduction.root, reduction.op, *reduction.type,
                                     reduction.elements + reduction.fingerprint);
}

}  // namespace coll
}  // namespace weft::mpi_shim
