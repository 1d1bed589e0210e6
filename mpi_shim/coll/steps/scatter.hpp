// Steps of MPI_Scatter(v). The root's own block is left to the caller.
#pragma once

#include <cstddef>
#include <vector>

#include "mpi_shim/coll/steps/rooted.hpp"

namespace weft::mpi_shim::steps {

// All blocks have `block` bytes.
template <Executor E, typename BlockOf>
void scatter_binomial(E& executor, const typename E::Members& members, std::size_t block,
                      const RootedPlaces<E, BlockOf>& places) {
  const auto member = [&](int number) { return (number + places.root) % members.size(); };
  const Tree tree = Tree::rooted(members, places.root);
  const Subtree<E> subtree(executor, tree, block);
  if (tree.is_root()) {
    for (int number = 1; number < members.size(); ++number) {
      executor.copy(places.block_of(member(number)), subtree.part(number, 1));
    }
  } else {
    executor.receive(members, member(tree.parent()), subtree.whole());
    executor.copy(subtree.own(), places.own);
  }
  tree.down([&](int child, int extent) { executor.send(members, member(child), subtree.part(child, extent)); });
}

template <Executor E, typename BlockOf>
void scatter_linear(E& executor, const typename E::Members& members, const RootedPlaces<E, BlockOf>& places) {
  if (members.rank() != places.root) {
    executor.receive(members, places.root, places.own);
    return;
  }
  std::vector<std::size_t> sends;
  for (int to = 0; to < members.size(); ++to) {
    if (to != places.root) {
      sends.push_back(executor.start_send(members, to, places.block_of(to)));
    }
  }
  executor.wait_all(sends);
}

}  // namespace weft::mpi_shim::steps
