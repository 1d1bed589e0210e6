// Steps of MPI_Scan and MPI_Exscan.
#pragma once

#include <algorithm>
#include <cstddef>

#include "mpi_shim/coll/steps/executor.hpp"

namespace weft::mpi_shim::steps {

struct ScanShape {
  std::size_t elements;
  std::size_t piece;  // long vectors go in pieces of so many elements, so that all members are busy at once
  bool exclusive;     // MPI_Exscan
};

// A chain in rank order: each member adds what it has to what its left neighbour has combined.
template <Executor E, Values V>
void scan_chain(E& executor, const typename E::Members& members, V& values, const ScanShape& shape) {
  const std::size_t longest = std::min(shape.piece, shape.elements);
  void* running = values.room(longest);
  void* mine = values.room(longest);
  const bool last = members.rank() + 1 == members.size();
  for (std::size_t first = 0; first < shape.elements; first += shape.piece) {
    const std::size_t n = std::min(shape.piece, shape.elements - first);
    if (members.rank() == 0) {
      values.load(running, first, n);
    } else {
      values.load(mine, first, n);
      executor.receive(members, members.rank() - 1, values.run(running, 0, n));
      // In place the output is the input, which has been read.
      if (shape.exclusive) {
        values.store(running, 0, n, first);
      }
      if (!shape.exclusive || !last) {
        values.append(running, mine, n);
      }
    }
    if (!shape.exclusive) {
      values.store(running, 0, n, first);
    }
    if (!last) {
      executor.send(members, members.rank() + 1, values.run(running, 0, n));
    }
  }
}

}  // namespace weft::mpi_shim::steps
