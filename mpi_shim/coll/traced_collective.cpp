#include "mpi_shim/coll/traced_collective.hpp"

#include "mpi_shim/entry/traced_calls.hpp"

namespace weft::mpi_shim {
namespace {

std::size_t all_bytes(const Blocks& blocks, int n) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    bytes += blocks[i].bytes;
  }
  return bytes;
}

}  // namespace

void note_collective(const Entry& entry, const Communicator& comm, int root, std::size_t sent, std::size_t received) {
  trace_event(entry.me, comm,
              {.kind = trace::Kind::collective,
               .peer = root < 0 ? UINT32_MAX : static_cast<std::uint32_t>(root),
               .value = static_cast<std::int64_t>(sent),
               .more = static_cast<std::int64_t>(received)});
}

void note_collective(const Entry& entry, const Bcast& checked) {
  const Communicator& comm = *checked.comm;
  const bool gives = comm.is_inter() ? checked.root == MPI_ROOT : comm.rank == checked.root;
  const std::size_t bytes = checked.buffer.bytes;
  note_collective(entry, comm, checked.root, gives ? bytes * static_cast<std::size_t>(comm.peers().size()) : 0,
                  gives && comm.is_inter() ? 0 : bytes);
}

void note_collective(const Entry& entry, const Allgather& checked) {
  const int members = checked.comm->peers().size();
  note_collective(entry, *checked.comm, -1, checked.own.bytes * static_cast<std::size_t>(members),
                  all_bytes(checked.places, members));
}

void note_collective(const Entry& entry, const RootedCall& call, const Rooted& checked) {
  const std::size_t all = checked.is_root ? all_bytes(checked.side.blocks, checked.comm->peers().size()) : 0;
  std::size_t own = checked.own.bytes;
  if (checked.in_place) {
    own = checked.side.blocks[static_cast<std::size_t>(call.root)].bytes;
  }
  const bool gathers = call.kind == Collective::gather || call.kind == Collective::gatherv;
  note_collective(entry, *checked.comm, call.root, gathers ? own : all, gathers ? all : own);
}

void note_collective(const Entry& entry, const Alltoall& checked) {
  const int members = checked.comm->peers().size();
  const std::size_t received = all_bytes(checked.places, members);
  note_collective(entry, *checked.comm, -1, checked.in_place ? received : all_bytes(checked.blocks, members), received);
}

void note_collective(const Entry& entry, const CheckedReduction& checked) {
  const Reduction& reduction = checked.reduction;
  const std::size_t sent = reduction.type == nullptr ? 0 : reduction.count * reduction.type->size();
  std::size_t received = reduction.has_output ? sent : 0;
  if (reduction.outcome == Outcome::scattered && reduction.elements > 0) {
    const auto i = static_cast<std::size_t>(checked.comm->rank);
    received = sent / reduction.elements * (reduction.starts[i + 1] - reduction.starts[i]);
  }
  note_collective(entry, *checked.comm, reduction.outcome == Outcome::at_root ? reduction.root : -1, sent, received);
}

}  // namespace weft::mpi_shim
