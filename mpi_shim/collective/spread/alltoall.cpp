// MPI_Alltoall(v, w): straight between all pairs, some at a time.
#include <algorithm>

#include "mpi_shim/collective/spread/spread.hpp"

namespace weft::mpi_shim::spread {
namespace {

constexpr int kPairsAtOnce = 32;

}  // namespace

int alltoall(const Entry& entry, const Communicator& comm, const Blocks& blocks, const Blocks& places) {
  const Peers peers = members(entry, comm, Collective::alltoall);
  const int size = comm.size();
  const auto me = static_cast<std::size_t>(comm.rank);
  const auto distant = [&](int distance) { return (comm.rank + distance + size) % size; };
  runtime::transfer(blocks[me], places[me]);
  int too_long = blocks[me].bytes > places[me].bytes ? comm.rank : -1;
  std::uint64_t sent = blocks[me].bytes;
  runtime::Request receives[kPairsAtOnce], sends[kPairsAtOnce];
  // Whom one sends to at some distance receives at the same: all go through the distances in step.
  for (int done = 1; done < size; done += kPairsAtOnce) {
    const int n = std::min(kPairsAtOnce, size - done);
    for (int i = 0; i < n; ++i) {
      const int from = distant(-done - i);
      peers.start_receive(from, places[static_cast<std::size_t>(from)], receives[i]);
    }
    for (int i = 0; i < n; ++i) {
      const int to = distant(done + i);
      peers.start_send(to, blocks[static_cast<std::size_t>(to)], sends[i]);
    }
    peers.wait({receives, static_cast<std::size_t>(n)});
    peers.wait({sends, static_cast<std::size_t>(n)});
    for (int i = 0; i < n; ++i) {
      if (receives[i].truncated) {
        too_long = distant(-done - i);
        sent = receives[i].sent;
      }
    }
  }
  return too_long < 0
             ? MPI_SUCCESS
             : raise_too_long(entry, comm.handle, too_long, sent, places[static_cast<std::size_t>(too_long)].bytes);
}

}  // namespace weft::mpi_shim::spread
