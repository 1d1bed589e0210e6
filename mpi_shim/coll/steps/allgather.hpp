// Steps of MPI_Allgather(v). REQUIRES: every member's own block is in its place already.
#pragma once

#include <cstddef>
#include <vector>

#include "mpi_shim/coll/steps/bcast.hpp"

namespace weft::mpi_shim::steps {

// Every member passes on what it got from its left neighbour. `block(i)` is the memory for member i's block.
template <Executor E, typename BlockOf>
void allgather_ring(E& executor, const typename E::Members& members, const BlockOf& block) {
  const int size = members.size();
  const int next = (members.rank() + 1) % size;
  const int previous = (members.rank() + size - 1) % size;
  for (int step = 0; step + 1 < size; ++step) {
    const auto receive = executor.start_receive(members, previous, block((members.rank() - step - 1 + size) % size));
    const auto send = executor.start_send(members, next, block((members.rank() - step + size) % size));
    executor.wait(receive);
    executor.wait(send);
  }
}

// Blocks go up a binomial tree, and all of them down again. `blocks(first, n)` is the memory of n contiguous blocks.
template <Executor E, typename BlocksOf>
void allgather_binomial(E& executor, const typename E::Members& members, const BlocksOf& blocks) {
  const Tree tree(members.rank(), members.size());
  tree.up([&](int child, int extent) { executor.receive(members, child, blocks(child, extent)); });
  if (!tree.is_root()) {
    executor.send(members, tree.parent(), blocks(members.rank(), tree.extent()));
  }
  bcast_by_length(executor, members, 0, blocks(0, members.size()));
}

}  // namespace weft::mpi_shim::steps
