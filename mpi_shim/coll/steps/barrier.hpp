// Steps of MPI_Barrier.
#pragma once

#include "mpi_shim/coll/steps/executor.hpp"
#include "mpi_shim/coll/steps/tree.hpp"

namespace weft::mpi_shim::steps {

// Empty messages up the tree. The root returns once all members have come.
template <Executor E>
void signal_root(E& executor, const typename E::Members& members, const Tree& tree) {
  tree.up([&](int child, int) { executor.receive(members, child, {}); });
  if (!tree.is_root()) {
    executor.send(members, tree.parent(), {});
  }
}

// Empty messages down the tree, which release all members.
template <Executor E>
void signal_all(E& executor, const typename E::Members& members, const Tree& tree) {
  if (!tree.is_root()) {
    executor.receive(members, tree.parent(), {});
  }
  tree.down([&](int child, int) { executor.send(members, child, {}); });
}

template <Executor E>
void barrier_binomial(E& executor, const typename E::Members& members) {
  const Tree tree(members.rank(), members.size());
  signal_root(executor, members, tree);
  signal_all(executor, members, tree);
}

// Hensgen, Finkel and Manber 1988: after the k-th round each knows that 2^k members have come.
template <Executor E>
void barrier_dissemination(E& executor, const typename E::Members& members) {
  const int size = members.size();
  for (int distance = 1; distance < size; distance *= 2) {
    const auto receive = executor.start_receive(members, (members.rank() + size - distance) % size, {});
    executor.send(members, (members.rank() + distance) % size, {});
    executor.wait(receive);
  }
}

}  // namespace weft::mpi_shim::steps
