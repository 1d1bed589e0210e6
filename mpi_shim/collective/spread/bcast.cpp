// MPI_Barrier and MPI_Bcast: up and down a tree.
#include <algorithm>

#include "mpi_shim/collective/spread/spread.hpp"

namespace weft::mpi_shim::spread {
namespace {

using runtime::Buffer;

// Longer messages go in pieces of so many bytes, so that all levels of the tree are busy at once.
constexpr std::size_t kPieceOfMessage = std::size_t{256} << 10;

// Bytes that lie in a row: the buffer's own, or a copy of its packed message.
class Row {
 public:
  Row(const Buffer& buffer, bool full) : buffer_(buffer) {
    if (buffer.layout != nullptr) {
      copy_.resize(buffer.bytes);
      if (full) {
        runtime::pack(buffer, copy_);
      }
    }
  }
  Buffer piece(std::size_t index) {
    const std::size_t first = index * kPieceOfMessage;
    auto* const base = buffer_.layout != nullptr ? copy_.data() : static_cast<std::byte*>(buffer_.base);
    return {base + first, std::min(kPieceOfMessage, buffer_.bytes - first)};
  }
  void unpack() {
    if (buffer_.layout != nullptr) {
      runtime::unpack(copy_, buffer_);
    }
  }

 private:
  const Buffer& buffer_;
  std::vector<std::byte> copy_;
};

std::uint64_t hand_down_whole(const Peers& peers, const Tree& tree, int root, const Buffer& buffer) {
  const auto member = [&](int number) { return (number + root) % peers.size(); };
  std::uint64_t sent = buffer.bytes;
  if (!tree.is_root()) {
    sent = peers.receive(member(tree.parent()), buffer);
  }
  runtime::Request requests[32];
  std::size_t children = 0;
  tree.down([&](int child, int) { peers.start_send(member(child), buffer, requests[children++]); });
  peers.wait({requests, children});
  return sent;
}

std::uint64_t hand_down_in_pieces(const Peers& peers, const Tree& tree, int root, const Buffer& buffer) {
  const auto member = [&](int number) { return (number + root) % peers.size(); };
  const std::size_t pieces = (buffer.bytes + kPieceOfMessage - 1) / kPieceOfMessage;
  Row row(buffer, tree.is_root());
  std::vector<runtime::Request> receives(tree.is_root() ? 0 : pieces);
  for (std::size_t i = 0; i < receives.size(); ++i) {
    peers.start_receive(member(tree.parent()), row.piece(i), receives[i]);
  }
  std::size_t children = 0;
  tree.down([&](int, int) { ++children; });
  std::vector<runtime::Request> sends(children * pieces);
  std::uint64_t sent = tree.is_root() ? buffer.bytes : 0;
  auto next = sends.begin();
  for (std::size_t i = 0; i < pieces; ++i) {
    if (!tree.is_root()) {
      peers.wait(receives[i]);
      sent += receives[i].sent;
    }
    tree.down([&](int child, int) { peers.start_send(member(child), row.piece(i), *next++); });
  }
  if (!tree.is_root()) {
    row.unpack();
  }
  peers.wait(sends);
  return sent;
}

}  // namespace

std::uint64_t hand_down(const Peers& peers, int root, const Buffer& buffer) {
  const Tree tree = Tree::rooted(peers, root);
  return buffer.bytes <= 2 * kPieceOfMessage ? hand_down_whole(peers, tree, root, buffer)
                                             : hand_down_in_pieces(peers, tree, root, buffer);
}

int barrier(const Entry& entry, const Communicator& comm) {
  meet(members(entry, comm, Collective::barrier));
  return MPI_SUCCESS;
}

int bcast(const Entry& entry, const Communicator& comm, const Buffer& buffer, int root) {
  const std::uint64_t sent = hand_down(members(entry, comm, Collective::bcast), root, buffer);
  return sent <= buffer.bytes ? MPI_SUCCESS : raise_too_long(entry, comm.handle, root, sent, buffer.bytes);
}

}  // namespace weft::mpi_shim::spread
