// Steps of MPI_Bcast.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "mpi_shim/coll/steps/executor.hpp"
#include "mpi_shim/coll/steps/tree.hpp"

namespace weft::mpi_shim::steps {

// Bytes of each piece of a pipelined message. All levels of the tree pass pieces on at the same time.
inline constexpr std::size_t kPipelinedPiece = std::size_t{256} << 10;

inline bool is_worth_pipelining(std::size_t bytes) { return bytes > 2 * kPipelinedPiece; }

// The root's whole message down a binomial tree.
template <Executor E>
void bcast_binomial(E& executor, const typename E::Members& members, int root, const typename E::Memory& memory) {
  const auto member = [&](int number) { return (number + root) % members.size(); };
  const Tree tree = Tree::rooted(members, root);
  if (!tree.is_root()) {
    executor.receive(members, member(tree.parent()), memory);
  }
  std::vector<std::size_t> sends;
  tree.down([&](int child, int) { sends.push_back(executor.start_send(members, member(child), memory)); });
  executor.wait_all(sends);
}

// The same in pieces: a member passes each piece on as soon as it has it.
template <Executor E>
void bcast_pipelined(E& executor, const typename E::Members& members, int root, const typename E::Memory& memory) {
  using Memory = typename E::Memory;
  const auto member = [&](int number) { return (number + root) % members.size(); };
  const Tree tree = Tree::rooted(members, root);
  const std::size_t pieces = (memory.bytes + kPipelinedPiece - 1) / kPipelinedPiece;
  const bool packed = memory.layout != nullptr;  // the message is packed first, and then cut
  const Memory row = packed ? Memory{executor.scratch(memory.bytes), memory.bytes} : Memory{memory.base, memory.bytes};
  const auto piece = [&](std::size_t index) {
    const std::size_t first = index * kPipelinedPiece;
    return Memory{static_cast<std::byte*>(row.base) + first, std::min(kPipelinedPiece, row.bytes - first)};
  };
  if (tree.is_root() && packed) {
    executor.copy(memory, row);
  }
  std::vector<std::size_t> receives, sends;
  for (std::size_t i = 0; !tree.is_root() && i < pieces; ++i) {
    receives.push_back(executor.start_receive(members, member(tree.parent()), piece(i)));
  }
  for (std::size_t i = 0; i < pieces; ++i) {
    if (!tree.is_root()) {
      executor.wait(receives[i]);
    }
    tree.down([&](int child, int) { sends.push_back(executor.start_send(members, member(child), piece(i))); });
  }
  if (!tree.is_root() && packed) {
    executor.copy(row, memory);
  }
  executor.wait_all(sends);
}

// The broadcast inside of another algorithm, for which no table has a choice.
template <Executor E>
void bcast_by_length(E& executor, const typename E::Members& members, int root, const typename E::Memory& memory) {
  if (is_worth_pipelining(memory.bytes)) {
    bcast_pipelined(executor, members, root, memory);
  } else {
    bcast_binomial(executor, members, root, memory);
  }
}

}  // namespace weft::mpi_shim::steps
