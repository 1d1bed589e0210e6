// What MPI_Accumulate and its kind do to the elements of the target.
#pragma once

#include <cstddef>
#include <span>

#include "mpi_shim/op/op.hpp"
#include "mpi_shim/rma/runs.hpp"

namespace weft::mpi_shim::rma {

// The predefined type that all of `type` consists of; null when it is made of several.
const Datatype* element_of(const Datatype& type);

// Predefined operations on elements of one predefined type.
class Combine {
 public:
  // `element` as element_of() gives it.
  Combine(MPI_Op op, const Datatype& element);
  // The standard defines the operation on such elements.
  bool defined() const { return kernel_ != nullptr || op_ == MPI_REPLACE || op_ == MPI_NO_OP; }
  std::size_t unit() const { return element_.size(); }  // packed bytes of an element

  // Combines packed elements into those in memory, and before that copies these to `old` unless it is null. The blocks
  // of `runs` hold whole elements, all together. REQUIRES: defined(), and the target's lock is held.
  void apply(std::span<const Run> runs, std::byte* address, const std::byte* packed, std::byte* old) const;
  // The same for one element that lies in memory as in an array, in the target as at the origin. `old` too.
  void apply_one(std::byte* address, const void* value, void* old) const;

 private:
  bool in_place(std::span<const Run> runs, const std::byte* address, const std::byte* packed) const;
  void by_copies(std::span<const Run> runs, std::byte* address, const std::byte* packed) const;

  const MPI_Op op_;
  const Datatype& element_;
  const Kernel kernel_;
  const bool padded_;  // elements lie apart in arrays
};

}  // namespace weft::mpi_shim::rma
