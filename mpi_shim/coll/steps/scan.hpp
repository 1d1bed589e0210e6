// Steps of MPI_Scan and MPI_Exscan.
#pragma once

#include <algorithm>
#include <cstddef>

#include "mpi_shim/coll/steps/executor.hpp"

namespace weft::mpi_shim::steps {

struct ScanShape {
  std::size_t elements;
  std::size_t piece;  // elements in each piece of a long vector; members work on different pieces at the same time
  bool exclusive;     // MPI_Exscan
};

// A chain in rank order: each member combines its left neighbour's result with its own input and passes that on.
template <Executor E, Values V>
void scan_chain(E& executor, const typename E::Members& members, V& values, const ScanShape& shape) {
  const std::size_t longest = std::min(shape.piece, shape.elements);
  void* running = values.allocate(longest);
  void* mine = values.allocate(longest);
  const bool last = members.rank() + 1 == members.size();
  for (std::size_t first = 0; first < shape.elements; first += shape.piece) {
    const std::size_t n = std::min(shape.piece, shape.elements - first);
    if (members.rank() == 0) {
      values.load(running, first, n);
    } else {
      values.load(mine, first, n);
      executor.receive(members, members.rank() - 1, values.slice(running, 0, n));
      // In place the output is the input, which has been read.
      if (shape.exclusive) {
        values.store(running, 0, n, first);
      }
      if (!shape.exclusive || !last) {
        values.combine(running, mine, n);
      }
    }
    if (!shape.exclusive) {
      values.store(running, 0, n, first);
    }
    if (!last) {
      executor.send(members, members.rank() + 1, values.slice(running, 0, n));
    }
  }
}

}  // namespace weft::mpi_shim::steps
