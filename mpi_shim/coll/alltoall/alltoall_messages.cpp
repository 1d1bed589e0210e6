// MPI_Alltoall(v, w): straight between all pairs, some at a time.
#include <algorithm>

#include "mpi_shim/coll/message_algorithms.hpp"

namespace weft::mpi_shim::spread {
namespace {

constexpr int kPairsAtOnce = 32;

}  // namespace

void alltoall(CollectiveSteps& steps, const Blocks& blocks, const Blocks& places) {
  const Peers peers = steps.members(Collective::alltoall);
  steps.choose(Collective::alltoall, 0, Algorithm::straight, set_of(Algorithm::straight));
  const int size = peers.size();
  const auto me = static_cast<std::size_t>(peers.rank());
  const auto distant = [&](int distance) { return (peers.rank() + distance + size) % size; };
  steps.copy(blocks[me], places[me], peers.rank());
  std::vector<CollectiveSteps::Ticket> messages;
  // Whom one sends to at some distance receives at the same: all go through the distances in step.
  for (int done = 1; done < size; done += kPairsAtOnce) {
    const int n = std::min(kPairsAtOnce, size - done);
    for (int i = 0; i < n; ++i) {
      const int from = distant(-done - i);
      messages.push_back(steps.start_receive(peers, from, places[static_cast<std::size_t>(from)]));
    }
    for (int i = 0; i < n; ++i) {
      const int to = distant(done + i);
      messages.push_back(steps.start_send(peers, to, blocks[static_cast<std::size_t>(to)]));
    }
    steps.wait_all(messages);
  }
}

}  // namespace weft::mpi_shim::spread
