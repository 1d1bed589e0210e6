#include "mpi_shim/coll/traced_collective.hpp"

#include <vector>

#include "mpi_shim/entry/traced_calls.hpp"

namespace weft::mpi_shim {
inline namespace coll {

std::size_t all_bytes(const Blocks& blocks, int n) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    bytes += blocks[i].bytes;
  }
  return bytes;
}

void note_blocks(const Entry& entry, trace::EventKind kind, std::span<const std::size_t> bytes) {
  for (std::size_t i = 0; calls_are_recorded && i < bytes.size();) {
    const std::size_t first = i;
    while (i < bytes.size() && bytes[i] == bytes[first]) {
      ++i;
    }
    trace_event(entry.me, {.kind = kind,
                           .peer = static_cast<std::uint32_t>(first),
                           .request = static_cast<std::uint32_t>(i - first),
                           .value = static_cast<std::int64_t>(bytes[first])});
  }
}

void note_blocks(const Entry& entry, trace::EventKind kind, const Blocks& blocks, int n) {
  std::vector<std::size_t> bytes(calls_are_recorded ? static_cast<std::size_t>(n) : 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = blocks[i].bytes;
  }
  note_blocks(entry, kind, bytes);
}

void note_collective(const Entry& entry, const Communicator& comm, int root, const MemberBytes& bytes) {
  trace_event(entry.me, comm,
              {.kind = trace::EventKind::collective,
               .peer = root < 0 ? UINT32_MAX : static_cast<std::uint32_t>(root),
               .tag = static_cast<std::int32_t>(bytes.element),
               .value = static_cast<std::int64_t>(bytes.sent),
               .more = static_cast<std::int64_t>(bytes.received)});
}

}  // namespace coll
}  // namespace weft::mpi_shim
