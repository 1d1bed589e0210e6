// MPI_Reduce_scatter, MPI_Reduce_scatter_block.
#include "mpi_shim/collective/other_group.hpp"

namespace weft::mpi_shim {
namespace {

struct Call {
  Collective kind;
  const void* sendbuf;
  void* recvbuf;
  MPI_Count count;  // of each block; or
  Numbers counts;
  MPI_Datatype datatype;
  MPI_Op op;
  MPI_Comm comm;
};

MPI_Count count_of(const Call& call, std::size_t member) { return call.counts ? call.counts[member] : call.count; }

// Where each block begins, in elements, and the end of the last; a sum that differs when the counts do.
std::vector<std::size_t> block_starts(const Call& call, std::size_t members, std::size_t per_datatype,
                                      std::uint64_t& fingerprint) {
  std::vector<std::size_t> starts(members + 1);
  for (std::size_t i = 0; i < members; ++i) {
    const auto n = static_cast<std::size_t>(count_of(call, i));
    starts[i + 1] = starts[i] + n * per_datatype;
    fingerprint += n * (2 * i + 1) * 0x2545f4914f6cdd1dU;
  }
  return starts;
}

// In place the result overwrites what others still read, so it is kept aside until all are done.
int reduce_aside(const Entry& entry, const Communicator& comm, Reduction& reduction) {
  const Datatype& type = *reduction.type;
  const auto me = static_cast<std::size_t>(comm.rank);
  const std::size_t elements = reduction.starts[me + 1] - reduction.starts[me];
  const std::size_t n = reduction.own != nullptr ? elements : elements / elements_in(type);
  void* const target = reduction.output;
  std::vector<std::max_align_t> memory;
  if (n != 0) {
    reduction.output = room_for(type, n, memory);
  }
  const int error = reduce_together(entry, comm, reduction);
  if (error == MPI_SUCCESS && n != 0) {
    runtime::transfer(message_buffer(reduction.output, n, type), message_buffer(target, n, type));
  }
  return error;
}

int reduce_scatter(const Entry& entry, const Call& call) {
  int error = MPI_SUCCESS;
  const Communicator* const comm = checked_comm(entry, call.comm, error);
  if (comm == nullptr ||
      (call.kind == Collective::reduce_scatter &&
       (error = check_counts(entry, *comm, "recvcounts", call.counts, comm->size())) != MPI_SUCCESS)) {
    return error;
  }
  if (call.count < 0) {
    return entry.raise(call.comm, MPI_ERR_COUNT, "recvcount {} is negative", call.count);
  }
  const auto members = static_cast<std::size_t>(comm->size());
  MPI_Count total = 0;
  for (std::size_t i = 0; i < members; ++i) {
    total += count_of(call, i);
  }
  Reduction reduction;
  reduction.call = call.kind;
  reduction.outcome = Outcome::spread;
  reduction.output = call.recvbuf;
  if ((error = prepare_reduction(entry, *comm, {"sendbuf", call.sendbuf, total, call.datatype}, call.op, reduction)) !=
      MPI_SUCCESS) {
    return error;
  }
  if (call.recvbuf == nullptr && count_of(call, static_cast<std::size_t>(comm->rank)) > 0 &&
      reduction.type->predefined()) {
    return entry.raise(call.comm, MPI_ERR_BUFFER, "recvbuf is null");
  }
  if (call.recvbuf == call.sendbuf && total > 0 && call.recvbuf != MPI_BOTTOM) {
    return entry.raise(call.comm, MPI_ERR_BUFFER, "sendbuf and recvbuf are the same; MPI_IN_PLACE says so");
  }
  const std::vector<std::size_t> starts =
      block_starts(call, members, reduction.own != nullptr ? 1 : elements_in(*reduction.type), reduction.fingerprint);
  reduction.starts = starts;
  if (comm->is_inter()) [[unlikely]] {
    return call.sendbuf == MPI_IN_PLACE ? raise_in_place(entry, *comm) : inter_reduce(entry, *comm, reduction);
  }
  const bool aside = call.sendbuf == MPI_IN_PLACE && !comm->spread() && comm->team() != nullptr;
  return aside ? reduce_aside(entry, *comm, reduction) : reduce_together(entry, *comm, reduction);
}

}  // namespace
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

extern "C" {

int PMPI_Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                        MPI_Comm comm) {
  const Entry entry("MPI_Reduce_scatter");
  return reduce_scatter(entry,
                        {Collective::reduce_scatter, sendbuf, recvbuf, 0, Numbers(recvcounts), datatype, op, comm});
}

int PMPI_Reduce_scatter_c(const void* sendbuf, void* recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype,
                          MPI_Op op, MPI_Comm comm) {
  const Entry entry("MPI_Reduce_scatter_c");
  return reduce_scatter(entry,
                        {Collective::reduce_scatter, sendbuf, recvbuf, 0, Numbers(recvcounts), datatype, op, comm});
}

int PMPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
                              MPI_Comm comm) {
  const Entry entry("MPI_Reduce_scatter_block");
  return reduce_scatter(entry, {Collective::reduce_scatter_block, sendbuf, recvbuf, recvcount, {}, datatype, op, comm});
}

int PMPI_Reduce_scatter_block_c(const void* sendbuf, void* recvbuf, MPI_Count recvcount, MPI_Datatype datatype,
                                MPI_Op op, MPI_Comm comm) {
  const Entry entry("MPI_Reduce_scatter_block_c");
  return reduce_scatter(entry, {Collective::reduce_scatter_block, sendbuf, recvbuf, recvcount, {}, datatype, op, comm});
}

}  // extern "C"
