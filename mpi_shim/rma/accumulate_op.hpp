// What MPI_Accumulate and its like do to the elements of the target.
#pragma once

#include <cstddef>
#include <span>

#include "mpi_shim/op/op.hpp"
#include "mpi_shim/rma/strided_regions.hpp"

namespace weft::mpi_shim::rma {

// The predefined type of all elements of `type`; null if it consists of several predefined types.
const Datatype* element_of(const Datatype& type);

// A predefined operation on elements of one predefined type.
class AccumulateOp {
 public:
  // `element`: as element_of() returns it.
  AccumulateOp(MPI_Op op, const Datatype& element);
  // Whether the standard defines the operation on such elements.
  bool defined() const { return kernel_ != nullptr || op_ == MPI_REPLACE || op_ == MPI_NO_OP; }
  std::size_t unit() const { return element_.size(); }  // packed bytes of an element

  // Copies the elements in memory to `old`, unless it is null; then combines packed elements into them. The regions
  // together consist of whole elements. REQUIRES: defined(), and the target's accumulate_lock() is held.
  void apply(std::span<const StridedRegion> regions, std::byte* address, const std::byte* packed, std::byte* old) const;
  // The same for one element. It, `value` and `old` have the layout that the element has in an array.
  void apply_one(std::byte* address, const void* value, void* old) const;

 private:
  bool can_apply_in_place(std::span<const StridedRegion> regions, const std::byte* address,
                          const std::byte* packed) const;
  void apply_to_copies(std::span<const StridedRegion> regions, std::byte* address, const std::byte* packed) const;

  const MPI_Op op_;
  const Datatype& element_;
  const Kernel kernel_;
  const bool padded_;  // in arrays there are gaps in or between elements
};

}  // namespace weft::mpi_shim::rma
