#include "mpi_shim/coll/reduce/reduction_checks.hpp"

#include <vector>

#include "mpi_shim/coll/traced_collective.hpp"

namespace weft::mpi_shim {
inline namespace coll {

namespace {

// Records the bytes that each member gets of a scattered result.
void note_result_blocks(const Entry& entry, const Reduction& reduction, std::size_t bytes) {
  std::vector<std::size_t> blocks;
  for (std::size_t i = 0; i + 1 < reduction.starts.size(); ++i) {
    blocks.push_back(bytes / reduction.elements * (reduction.starts[i + 1] - reduction.starts[i]));
  }
  note_blocks(entry, trace::EventKind::block_to, blocks);
}

}  // namespace

void note_collective(const Entry& entry, const CheckedReduction& checked) {
  const Reduction& reduction = checked.reduction;
  const std::size_t sent = reduction.type == nullptr ? 0 : reduction.count * reduction.type->size();
  std::size_t received = reduction.has_output ? sent : 0;
  if (reduction.outcome == Outcome::scattered && reduction.elements > 0) {
    const auto i = static_cast<std::size_t>(checked.comm->rank);
    received = sent / reduction.elements * (reduction.starts[i + 1] - reduction.starts[i]);
    note_result_blocks(entry, reduction, sent);
  }
  note_collective(entry, *checked.comm, reduction.outcome == Outcome::at_root ? reduction.root : -1,
                  {sent, received, reduction.type == nullptr ? 0 : reduction.type->size()});
}

int prepare_reduction(const Entry& entry, const Communicator& comm, const BufferArgument& buffer, MPI_Op op,
                      Reduction& reduction) {
  BufferArgument input = buffer;
  if (buffer.address == MPI_IN_PLACE) {
    input.address = reduction.output;
  }
  Blocks blocks;
  if (const int error = check_buffer(entry, comm, input, blocks); error != MPI_SUCCESS) {
    return error;
  }
  const Datatype& type = *blocks.type;
  reduction.input = input.address;
  reduction.type = &type;
  reduction.op = op;
  reduction.count = reduction.elements = static_cast<std::size_t>(buffer.count);
  if (is_predefined(op)) [[likely]] {
    reduction.kernel = predefined_kernel(op, type);
    if (reduction.kernel == nullptr) [[unlikely]] {
      return entry.raise(comm.handle, MPI_ERR_OP, "{} is not defined on {}", op_name(op), type.name);
    }
    reduction.elements *= elements_in(type);
    return MPI_SUCCESS;
  }
  reduction.user_op = entry.me.ops.find(op);
  reduction.pending_exception = &entry.me.pending_exception;
  return reduction.user_op != nullptr ? MPI_SUCCESS : entry.raise(comm.handle, MPI_ERR_OP, "op is not an operation");
}

int prepare_reduction_to_each(const Entry& entry, Collective kind, Outcome outcome, const ReduceCall& call,
                              CheckedReduction& checked) {
  Reduction& reduction = checked.reduction;
  reduction.call = kind;
  reduction.outcome = outcome;
  reduction.output = call.recvbuf;
  reduction.has_output = true;
  checked.in_place = call.sendbuf == MPI_IN_PLACE;
  return prepare_reduction(entry, *checked.comm, {"sendbuf", call.sendbuf, call.count, call.datatype}, call.op,
                           reduction);
}

int check_not_aliased(const Entry& entry, const ReduceCall& call, const Datatype& type) {
  return call.recvbuf != call.sendbuf || call.count <= 0 || type.size() == 0
             ? MPI_SUCCESS
             : entry.raise(call.comm, MPI_ERR_BUFFER, "sendbuf and recvbuf are the same; MPI_IN_PLACE says so");
}

int check_recvbuf(const Entry& entry, const ReduceCall& call, const Reduction& reduction) {
  if (call.recvbuf == nullptr && lies_at_null(nullptr, call.count, *reduction.type)) [[unlikely]] {
    return entry.raise(call.comm, MPI_ERR_BUFFER, "recvbuf is null");
  }
  if (call.recvbuf == MPI_IN_PLACE) [[unlikely]] {
    return entry.raise(call.comm, MPI_ERR_BUFFER, "recvbuf is MPI_IN_PLACE");
  }
  return check_not_aliased(entry, call, *reduction.type);
}

}  // namespace coll
}  // namespace weft::mpi_shim
