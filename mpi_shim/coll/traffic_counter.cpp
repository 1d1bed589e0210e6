#include "mpi_shim/coll/traffic_counter.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// The total stays as it is: it counts messages that are really sent.
CollectiveSteps::Ticket TrafficCounter::start_send(const Peers& peers, int to, const runtime::Buffer& buffer) {
  runtime::Traffic& traffic = *me_.rank->traffic;
  const runtime::Traffic::Sent total = traffic.total;
  traffic.count(peers.job_rank(to), buffer.bytes);
  traffic.total = total;
  return 0;
}

}  // namespace coll
}  // namespace weft::mpi_shim
