// MPI_Barrier and MPI_Bcast: up and down a tree; a barrier also by dissemination.
#include <algorithm>

#include "mpi_shim/collective/spread/spread.hpp"

namespace weft::mpi_shim::spread {
namespace {

using runtime::Buffer;

// Longer messages go in pieces of so many bytes, so that all levels of the tree are busy at once.
constexpr std::size_t kPieceOfMessage = std::size_t{256} << 10;

bool goes_in_pieces(const Buffer& buffer) { return buffer.bytes > 2 * kPieceOfMessage; }

// Bytes that lie in a row: the buffer's own, or memory for its packed message.
Buffer row_of(Course& course, const Buffer& buffer) {
  return buffer.layout == nullptr ? Buffer{buffer.base, buffer.bytes}
                                  : Buffer{course.scratch(buffer.bytes), buffer.bytes};
}

void hand_down_whole(Course& course, const Peers& peers, const Tree& tree, int root, const Buffer& buffer) {
  const auto member = [&](int number) { return (number + root) % peers.size(); };
  if (!tree.is_root()) {
    course.receive(peers, member(tree.parent()), buffer);
  }
  std::vector<Course::Ticket> sends;
  tree.down([&](int child, int) { sends.push_back(course.start_send(peers, member(child), buffer)); });
  course.wait_all(sends);
}

void hand_down_in_pieces(Course& course, const Peers& peers, const Tree& tree, int root, const Buffer& buffer) {
  const auto member = [&](int number) { return (number + root) % peers.size(); };
  const std::size_t pieces = (buffer.bytes + kPieceOfMessage - 1) / kPieceOfMessage;
  const Buffer row = row_of(course, buffer);
  const auto piece = [&](std::size_t index) {
    const std::size_t first = index * kPieceOfMessage;
    return Buffer{static_cast<std::byte*>(row.base) + first, std::min(kPieceOfMessage, row.bytes - first)};
  };
  if (tree.is_root() && buffer.layout != nullptr) {
    course.copy(buffer, row);
  }
  std::vector<Course::Ticket> receives, sends;
  for (std::size_t i = 0; !tree.is_root() && i < pieces; ++i) {
    receives.push_back(course.start_receive(peers, member(tree.parent()), piece(i)));
  }
  for (std::size_t i = 0; i < pieces; ++i) {
    if (!tree.is_root()) {
      course.wait(receives[i]);
    }
    tree.down([&](int child, int) { sends.push_back(course.start_send(peers, member(child), piece(i))); });
  }
  if (!tree.is_root() && buffer.layout != nullptr) {
    course.copy(row, buffer);
  }
  course.wait_all(sends);
}

}  // namespace

void come_up(Course& course, const Peers& peers, const Tree& tree) {
  tree.up([&](int child, int) { course.receive(peers, child, {}); });
  if (!tree.is_root()) {
    course.send(peers, tree.parent(), {});
  }
}

void go_down(Course& course, const Peers& peers, const Tree& tree) {
  if (!tree.is_root()) {
    course.receive(peers, tree.parent(), {});
  }
  tree.down([&](int child, int) { course.send(peers, child, {}); });
}

void hand_down(Course& course, const Peers& peers, int root, const Buffer& buffer) {
  const Tree tree = Tree::rooted(peers, root);
  if (goes_in_pieces(buffer)) {
    hand_down_in_pieces(course, peers, tree, root, buffer);
  } else {
    hand_down_whole(course, peers, tree, root, buffer);
  }
}

namespace {

// Hensgen, Finkel and Manber 1988: after the k-th round each has heard of 2^k members.
void disseminate(Course& course, const Peers& peers) {
  const int size = peers.size();
  for (int distance = 1; distance < size; distance *= 2) {
    const auto receive = course.start_receive(peers, (peers.rank() + size - distance) % size, {});
    course.send(peers, (peers.rank() + distance) % size, {});
    course.wait(receive);
  }
}

}  // namespace

void barrier(Course& course) {
  using enum Algorithm;
  const Peers peers = course.members(Collective::barrier);
  if (course.choose(Collective::barrier, 0, tree, set_of(tree, dissemination)) == dissemination) {
    disseminate(course, peers);
    return;
  }
  const Tree along(peers.rank(), peers.size());
  come_up(course, peers, along);
  go_down(course, peers, along);
}

void bcast(Course& course, const Buffer& buffer, int root) {
  using enum Algorithm;
  const Peers peers = course.members(Collective::bcast);
  const Tree along = Tree::rooted(peers, root);
  const bool cut = buffer.bytes > kPieceOfMessage;
  const Algorithm built_in = goes_in_pieces(buffer) ? pieces : tree;
  if (course.choose(Collective::bcast, buffer.bytes, built_in, cut ? set_of(tree, pieces) : set_of(tree)) == pieces) {
    hand_down_in_pieces(course, peers, along, root, buffer);
  } else {
    hand_down_whole(course, peers, along, root, buffer);
  }
}

}  // namespace weft::mpi_shim::spread
