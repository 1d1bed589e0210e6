#include "sim/memory_calls.hpp"

#include <numeric>

namespace weft::sim {
namespace {

// Calls up to these lengths need no second barrier. In reductions the last member to arrive combines all vectors
// (kSerialBytes and kPieceBytes in mpi_shim/coll/reduce, and vectors of one word). In broadcasts the root's bytes go
// through the broadcast ring (BroadcastRing::kBytes).
constexpr std::uint64_t kSerialBytes = 16384;
constexpr std::uint64_t kPieceBytes = 8192;
constexpr std::uint64_t kWordBytes = 8;
constexpr std::uint64_t kStreamedBytes = 1024;

bool reduces(CollectiveKind kind) { return kind >= CollectiveKind::reduce; }

std::uint64_t vector_bytes(const MemoryCall& call) {
  if (call.call.kind != CollectiveKind::reduce_scatter) {
    return call.bytes;
  }
  return call.counts.empty() ? call.bytes * call.size
                             : std::accumulate(call.counts.begin(), call.counts.end(), std::uint64_t{0});
}

std::uint64_t all_blocks(const MemoryCall& call) {
  return call.counts.empty() ? call.bytes * call.size
                             : std::accumulate(call.counts.begin(), call.counts.end(), std::uint64_t{0});
}

}  // namespace

bool has_second_barrier(const MemoryCall& call) {
  switch (call.call.kind) {
    case CollectiveKind::barrier:
      return false;
    case CollectiveKind::bcast:
      return call.bytes > kStreamedBytes;
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
    case CollectiveKind::allgather:
    case CollectiveKind::alltoall:
      return true;
    default:
      return vector_bytes(call) > kPieceBytes ||
             (vector_bytes(call) > kWordBytes && vector_bytes(call) * call.size > kSerialBytes);
  }
}

std::uint64_t bytes_copied(const MemoryCall& call) {
  switch (call.call.kind) {
    case CollectiveKind::bcast:
      return call.member == call.call.root || !has_second_barrier(call) ? 0 : call.bytes;
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
      return call.bytes;
    case CollectiveKind::allgather:
    case CollectiveKind::alltoall:
      return all_blocks(call);
    default:
      return 0;
  }
}

std::uint64_t bytes_combined(const MemoryCall& call) { return reduces(call.call.kind) ? vector_bytes(call) : 0; }

}  // namespace weft::sim
