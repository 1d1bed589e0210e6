// MPI_Scan and MPI_Exscan: a chain in rank order, through which long vectors go in pieces.
#include <algorithm>

#include "mpi_shim/collective/spread/reduce.hpp"

namespace weft::mpi_shim::spread {
namespace {

constexpr std::size_t kPieceOfChain = std::size_t{64} << 10;

void pass_piece(const Peers& peers, const Reduction& reduction, Piece piece) {
  const bool exclusive = reduction.outcome == Outcome::exscan;
  const bool last = peers.rank() + 1 == peers.size();
  Partial running(reduction, piece);
  Partial mine(reduction, piece);
  mine.load();
  if (peers.rank() == 0) {
    running.copy(mine);
  } else {
    peers.receive(peers.rank() - 1, running.buffer());
    // In place the output is the input, which has been read.
    if (exclusive) {
      running.store(0, piece.count, piece.first);
    }
    if (!exclusive || !last) {
      running.append(mine);
    }
  }
  if (!exclusive) {
    running.store(0, piece.count, piece.first);
  }
  if (!last) {
    peers.send(peers.rank() + 1, running.buffer());
  }
}

}  // namespace

void combine_prefixes(const Peers& peers, const Reduction& reduction) {
  const std::size_t bytes =
      std::max<std::size_t>(reduction.own != nullptr ? reduction.type->size() : element_bytes(*reduction.type), 1);
  const std::size_t step = std::max<std::size_t>(kPieceOfChain / bytes, 1);
  for (std::size_t first = 0; first < reduction.elements; first += step) {
    pass_piece(peers, reduction, {first, std::min(step, reduction.elements - first)});
  }
}

}  // namespace weft::mpi_shim::spread
