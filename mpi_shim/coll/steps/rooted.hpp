// What the steps of MPI_Gather(v) and MPI_Scatter(v) share: the blocks of a subtree, and the call's buffers.
#pragma once

#include <cstddef>

#include "mpi_shim/coll/steps/executor.hpp"
#include "mpi_shim/coll/steps/tree.hpp"

namespace weft::mpi_shim::steps {

// The blocks of this member's subtree, `block` bytes each, contiguous and in the order of their numbers from the root.
template <Executor E>
class Subtree {
 public:
  using Memory = typename E::Memory;

  Subtree(E& executor, const Tree& tree, std::size_t block)
      : block_(block),
        first_(tree.number()),
        extent_(tree.extent()),
        data_(executor.scratch(static_cast<std::size_t>(extent_) * block)) {}
  Memory part(int number, int extent) const {
    return {data_ + static_cast<std::size_t>(number - first_) * block_, static_cast<std::size_t>(extent) * block_};
  }
  Memory whole() const { return part(first_, extent_); }
  Memory own() const { return part(first_, 1); }

 private:
  const std::size_t block_;
  const int first_;
  const int extent_;
  std::byte* const data_;
};

// The buffers of a gather or a scatter: `own` is the member's block, `block_of(i)` the root's block for member i.
template <Executor E, typename BlockOf>
struct RootedPlaces {
  int root;
  typename E::Memory own;
  BlockOf block_of;  // called at the root only
};

}  // namespace weft::mpi_shim::steps
