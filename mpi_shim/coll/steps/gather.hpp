// Steps of MPI_Gather(v) and MPI_Scatter(v). The root's own block is left to the caller.
#pragma once

#include <cstddef>
#include <vector>

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
