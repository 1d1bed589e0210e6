#include "mpi_shim/coll/traced_collective.hpp"

#include "mpi_shim/entry/traced_calls.hpp"

namespace weft::mpi_shim {

std::size_t all_bytes(const Blocks& blocks, int n) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    bytes += blocks[i].bytes;
  }
  return bytes;
}

void note_collective(const Entry& entry, const Communicator& comm, int root, std::size_t sent, std::size_t received) {
  trace_event(entry.me, comm,
              {.kind = trace::EventKind::collective,
               .peer = root < 0 ? UINT32_MAX : static_cast<std::uint32_t>(root),
               .value = static_cast<std::int64_t>(sent),
               .more = static_cast<std::int64_t>(received)});
}

}  // namespace weft::mpi_shim
