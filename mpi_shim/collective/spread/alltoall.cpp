// MPI_Alltoall(v, w): straight between all pairs, some at a time.
#include <algorithm>

#include "mpi_shim/collective/spread/spread.hpp"

namespace weft::mpi_shim::spread {
namespace {

constexpr int kPairsAtOnce = 32;

}  // namespace

void alltoall(Course& course, const Blocks& blocks, const Blocks& places) {
  const Peers peers = course.members(Collective::alltoall);
  course.choose(Collective::alltoall, 0, Algorithm::straight, set_of(Algorithm::straight));
  const int size = peers.size();
  const auto me = static_cast<std::size_t>(peers.rank());
  const auto distant = [&](int distance) { return (peers.rank() + distance + size) % size; };
  course.copy(blocks[me], places[me], peers.rank());
  std::vector<Course::Ticket> messages;
  // Whom one sends to at some distance receives at the same: all go through the distances in step.
  for (int done = 1; done < size; done += kPairsAtOnce) {
    const int n = std::min(kPairsAtOnce, size - done);
    for (int i = 0; i < n; ++i) {
      const int from = distant(-done - i);
      messages.push_back(course.start_receive(peers, from, places[static_cast<std::size_t>(from)]));
    }
    for (int i = 0; i < n; ++i) {
      const int to = distant(done + i);
      messages.push_back(course.start_send(peers, to, blocks[static_cast<std::size_t>(to)]));
    }
    course.wait_all(messages);
  }
}

}  // namespace weft::mpi_shim::spread
