// Steps of MPI_Alltoall(v, w).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "mpi_shim/coll/steps/executor.hpp"

namespace weft::mpi_shim::steps {

inline constexpr int kPairsAtOnce = 32;

// Messages between all pairs of members, kPairsAtOnce at a time, but not from a member to itself. `block(i)` is sent to
// member i, and `place(i)` receives from it.
template <Executor E, typename BlockOf, typename PlaceOf>
void alltoall_linear(E& executor, const typename E::Members& members, const BlockOf& block, const PlaceOf& place) {
  const int size = members.size();
  const auto distant = [&](int distance) { return (members.rank() + distance + size) % size; };
  std::vector<std::size_t> messages;
  // All members take the same distances in a round. So the member at distance d, to which this one sends, receives from
  // distance -d in that round.
  for (int done = 1; done < size; done += kPairsAtOnce) {
    const int n = std::min(kPairsAtOnce, size - done);
    for (int i = 0; i < n; ++i) {
      const int from = distant(-done - i);
      messages.push_back(executor.start_receive(members, from, place(from)));
    }
    for (int i = 0; i < n; ++i) {
      const int to = distant(done + i);
      messages.push_back(executor.start_send(members, to, block(to)));
    }
    executor.wait_all(messages);
  }
}

}  // namespace weft::mpi_shim::steps
