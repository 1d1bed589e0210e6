// Steps of MPI_Gather(v). The root's own block is left to the caller.
#pragma once

#include <cstddef>
#include <vector>

#include "mpi_shim/coll/steps/rooted.hpp"

namespace weft::mpi_shim::steps {

// All blocks have `block` bytes.
template <Executor E, typename BlockOf>
void gather_binomial(E& executor, const typename E::Members& members, std::size_t block,
                     const RootedPlaces<E, BlockOf>& places) {
  const auto member = [&](int number) { return (number + places.root) % members.size(); };
  const Tree tree = Tree::rooted(members, places.root);
  const Subtree<E> subtree(executor, tree, block);
  tree.up([&](int child, int extent) { executor.receive(members, member(child), subtree.part(child, extent)); });
  if (!tree.is_root()) {
    executor.copy(places.own, subtree.own());
    executor.send(members, member(tree.parent()), subtree.whole());
    return;
  }
  for (int number = 1; number < members.size(); ++number) {
    executor.copy(subtree.part(number, 1), places.block_of(member(number)));
  }
}

template <Executor E, typename BlockOf>
void gather_linear(E& executor, const typename E::Members& members, const RootedPlaces<E, BlockOf>& places) {
  if (members.rank() != places.root) {
    executor.send(members, places.root, places.own);
    return;
  }
  std::vector<std::size_t> receives;
  for (int from = 0; from < members.size(); ++from) {
    if (from != places.root) {
      receives.push_back(executor.start_receive(members, from, places.block_of(from)));
    }
  }
  executor.wait_all(receives);
}

}  // namespace weft::mpi_shim::steps
