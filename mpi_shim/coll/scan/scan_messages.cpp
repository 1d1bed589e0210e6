// MPI_Scan and MPI_Exscan: a chain in rank order, through which long vectors go in pieces.
#include <algorithm>

#include "mpi_shim/coll/reduce/reduce_messages.hpp"

namespace weft::mpi_shim::spread {
namespace {

constexpr std::size_t kPieceOfChain = std::size_t{64} << 10;

// The two values that every piece takes.
struct Rooms {
  void* running;
  void* mine;
};

void pass_piece(CollectiveSteps& steps, const Peers& peers, const Reduction& reduction, Piece piece, Rooms& rooms) {
  Values values(steps, reduction);
  const bool exclusive = reduction.outcome == Outcome::exscan;
  const bool last = peers.rank() + 1 == peers.size();
  if (peers.rank() == 0) {
    values.load(rooms.running, piece);
  } else {
    values.load(rooms.mine, piece);
    steps.receive(peers, peers.rank() - 1, values.run(rooms.running, 0, piece.count));
    // In place the output is the input, which has been read.
    if (exclusive) {
      values.store(rooms.running, 0, piece.count, piece.first);
    }
    if (!exclusive || !last) {
      values.append(rooms.running, rooms.mine, piece.count);
    }
  }
  if (!exclusive) {
    values.store(rooms.running, 0, piece.count, piece.first);
  }
  if (!last) {
    steps.send(peers, peers.rank() + 1, values.run(rooms.running, 0, piece.count));
  }
}

}  // namespace

void combine_prefixes(CollectiveSteps& steps, const Peers& peers, const Reduction& reduction) {
  Values values(steps, reduction);
  const std::size_t bytes =
      std::max<std::size_t>(reduction.own != nullptr ? reduction.type->size() : element_bytes(*reduction.type), 1);
  const std::size_t unit = values.unit();
  const std::size_t step = std::max<std::size_t>(kPieceOfChain / (bytes * unit), 1) * unit;
  const std::size_t longest = std::min(step, reduction.elements);
  Rooms rooms{values.room(longest), values.room(longest)};
  for (std::size_t first = 0; first < reduction.elements; first += step) {
    pass_piece(steps, peers, reduction, {first, std::min(step, reduction.elements - first)}, rooms);
  }
}

}  // namespace weft::mpi_shim::spread
