// MPI_Barrier and MPI_Bcast: up and down a tree; a barrier also by dissemination.
#include <algorithm>

#include "mpi_shim/coll/message_algorithms.hpp"

namespace weft::mpi_shim::spread {
namespace {

using runtime::Buffer;

// Longer messages go in pieces of so many bytes, so that all levels of the tree are busy at once.
constexpr std::size_t kPieceOfMessage = std::size_t{256} << 10;

bool goes_in_pieces(const Buffer& buffer) { return buffer.bytes > 2 * kPieceOfMessage; }

// Bytes that lie in a row: the buffer's own, or memory for its packed message.
Buffer row_of(CollectiveSteps& steps, const Buffer& buffer) {
  return buffer.layout == nullptr ? Buffer{buffer.base, buffer.bytes}
                                  : Buffer{steps.scratch(buffer.bytes), buffer.bytes};
}

void hand_down_whole(CollectiveSteps& steps, const Peers& peers, const Tree& tree, int root, const Buffer& buffer) {
  const auto member = [&](int number) { return (number + root) % peers.size(); };
  if (!tree.is_root()) {
    steps.receive(peers, member(tree.parent()), buffer);
  }
  std::vector<CollectiveSteps::Ticket> sends;
  tree.down([&](int child, int) { sends.push_back(steps.start_send(peers, member(child), buffer)); });
  steps.wait_all(sends);
}

void hand_down_in_pieces(CollectiveSteps& steps, const Peers& peers, const Tree& tree, int root, const Buffer& buffer) {
  const auto member = [&](int number) { return (number + root) % peers.size(); };
  const std::size_t pieces = (buffer.bytes + kPieceOfMessage - 1) / kPieceOfMessage;
  const Buffer row = row_of(steps, buffer);
  const auto piece = [&](std::size_t index) {
    const std::size_t first = index * kPieceOfMessage;
    return Buffer{static_cast<std::byte*>(row.base) + first, std::min(kPieceOfMessage, row.bytes - first)};
  };
  if (tree.is_root() && buffer.layout != nullptr) {
    steps.copy(buffer, row);
  }
  std::vector<CollectiveSteps::Ticket> receives, sends;
  for (std::size_t i = 0; !tree.is_root() && i < pieces; ++i) {
    receives.push_back(steps.start_receive(peers, member(tree.parent()), piece(i)));
  }
  for (std::size_t i = 0; i < pieces; ++i) {
    if (!tree.is_root()) {
      steps.wait(receives[i]);
    }
    tree.down([&](int child, int) { sends.push_back(steps.start_send(peers, member(child), piece(i))); });
  }
  if (!tree.is_root() && buffer.layout != nullptr) {
    steps.copy(row, buffer);
  }
  steps.wait_all(sends);
}

}  // namespace

void come_up(CollectiveSteps& steps, const Peers& peers, const Tree& tree) {
  tree.up([&](int child, int) { steps.receive(peers, child, {}); });
  if (!tree.is_root()) {
    steps.send(peers, tree.parent(), {});
  }
}

void go_down(CollectiveSteps& steps, const Peers& peers, const Tree& tree) {
  if (!tree.is_root()) {
    steps.receive(peers, tree.parent(), {});
  }
  tree.down([&](int child, int) { steps.send(peers, child, {}); });
}

void hand_down(CollectiveSteps& steps, const Peers& peers, int root, const Buffer& buffer) {
  const Tree tree = Tree::rooted(peers, root);
  if (goes_in_pieces(buffer)) {
    hand_down_in_pieces(steps, peers, tree, root, buffer);
  } else {
    hand_down_whole(steps, peers, tree, root, buffer);
  }
}

namespace {

// Hensgen, Finkel and Manber 1988: after the k-th round each has heard of 2^k members.
void disseminate(CollectiveSteps& steps, const Peers& peers) {
  const int size = peers.size();
  for (int distance = 1; distance < size; distance *= 2) {
    const auto receive = steps.start_receive(peers, (peers.rank() + size - distance) % size, {});
    steps.send(peers, (peers.rank() + distance) % size, {});
    steps.wait(receive);
  }
}

}  // namespace

void barrier(CollectiveSteps& steps) {
  using enum Algorithm;
  const Peers peers = steps.members(Collective::barrier);
  if (steps.choose(Collective::barrier, 0, tree, set_of(tree, dissemination)) == dissemination) {
    disseminate(steps, peers);
    return;
  }
  const Tree along(peers.rank(), peers.size());
  come_up(steps, peers, along);
  go_down(steps, peers, along);
}

void bcast(CollectiveSteps& steps, const Buffer& buffer, int root) {
  using enum Algorithm;
  const Peers peers = steps.members(Collective::bcast);
  const Tree along = Tree::rooted(peers, root);
  const bool cut = buffer.bytes > kPieceOfMessage;
  const Algorithm built_in = goes_in_pieces(buffer) ? pieces : tree;
  if (steps.choose(Collective::bcast, buffer.bytes, built_in, cut ? set_of(tree, pieces) : set_of(tree)) == pieces) {
    hand_down_in_pieces(steps, peers, along, root, buffer);
  } else {
    hand_down_whole(steps, peers, along, root, buffer);
  }
}

}  // namespace weft::mpi_shim::spread
