// MPI_Reduce, MPI_Allreduce, MPI_Scan, MPI_Exscan.
#include "mpi_shim/coll/reduce/reduce.hpp"

#include "mpi_shim/coll/intercomm/intercomm.hpp"
#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/migrate_at.hpp"
#include "mpi_shim/coll/reduce/word_call.hpp"
#include "mpi_shim/coll/schedule/deferred.hpp"
#include "mpi_shim/coll/traced_collective.hpp"

namespace weft::mpi_shim {
inline namespace coll {

namespace {

// Records the bytes that each member gets of a scattered result.
void note_pieces(const Entry& entry, const Reduction& reduction, std::size_t bytes) {
  std::vector<std::size_t> pieces;
  for (std::size_t i = 0; i + 1 < reduction.starts.size(); ++i) {
    pieces.push_back(bytes / reduction.elements * (reduction.starts[i + 1] - reduction.starts[i]));
  }
  note_blocks(entry, trace::EventKind::block_to, pieces);
}

}  // namespace

void note_collective(const Entry& entry, const CheckedReduction& checked) {
  const Reduction& reduction = checked.reduction;
  const std::size_t sent = reduction.type == nullptr ? 0 : reduction.count * reduction.type->size();
  std::size_t received = reduction.has_output ? sent : 0;
  if (reduction.outcome == Outcome::scattered && reduction.elements > 0) {
    const auto i = static_cast<std::size_t>(checked.comm->rank);
    received = sent / reduction.elements * (reduction.starts[i + 1] - reduction.starts[i]);
    note_pieces(entry, reduction, sent);
  }
  note_collective(entry, *checked.comm, reduction.outcome == Outcome::at_root ? reduction.root : -1,
                  {sent, received, reduction.type == nullptr ? 0 : reduction.type->size()});
}

namespace {

int check_aliasing(const Entry& entry, const ReduceCall& call, const Datatype& type) {
  return call.recvbuf != call.sendbuf || call.count <= 0 || type.size() == 0
             ? MPI_SUCCESS
             : entry.raise(call.comm, MPI_ERR_BUFFER, "sendbuf and recvbuf are the same; MPI_IN_PLACE says so");
}

int check_output(const Entry& entry, const ReduceCall& call, const Reduction& reduction) {
  if (call.recvbuf == nullptr && lies_at_null(nullptr, call.count, *reduction.type)) [[unlikely]] {
    return entry.raise(call.comm, MPI_ERR_BUFFER, "recvbuf is null");
  }
  if (call.recvbuf == MPI_IN_PLACE) [[unlikely]] {
    return entry.raise(call.comm, MPI_ERR_BUFFER, "recvbuf is MPI_IN_PLACE");
  }
  return check_aliasing(entry, call, *reduction.type);
}

// Fast path of the most frequent call. False: the general path must be taken.
bool allreduce_word(const Entry& entry, const ReduceCall& call, int& error) {
  const std::optional<WordCall> found =
      find_word_call(entry, find_comm(entry.me, call.comm), Collective::allreduce, call);
  if (!found || call.recvbuf == nullptr) {
    return false;
  }
  trace_collective(entry, *found->comm, -1, MemberBytes{found->bytes, found->bytes, found->type->size()});
  std::uint64_t word = 0;
  error = reduce_word(entry, *found, 0, word);
  if (error == MPI_SUCCESS) {
    copy_word(call.recvbuf, &word, found->bytes);
  }
  return true;
}

// Every member gets a result.
int reduce_to_each(const Entry& entry, Collective kind, Outcome outcome, const ReduceCall& call) {
  int error = MPI_SUCCESS;
  if (outcome == Outcome::at_all && allreduce_word(entry, call, error)) {
    return error;
  }
  CheckedReduction checked;
  error = check_reduce_to_each(entry, kind, outcome, call, checked);
  if (error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(entry, checked);
  return checked.comm->is_inter() ? inter_reduce(entry, *checked.comm, checked.reduction)
                                  : reduce_intracomm(entry, *checked.comm, checked.reduction);
}

// On an intercommunicator.
int check_reduce_to_other_group(const Entry& entry, const ReduceCall& call, int root, CheckedReduction& checked) {
  Reduction& reduction = checked.reduction;
  if (root == MPI_PROC_NULL) {
    return MPI_SUCCESS;
  }
  reduction.has_output = root == MPI_ROOT;
  reduction.output = reduction.has_output ? call.recvbuf : nullptr;
  const void* const input = root == MPI_ROOT ? call.recvbuf : call.sendbuf;
  const int error =
      prepare_reduction(entry, *checked.comm, {"the buffer", input, call.count, call.datatype}, call.op, reduction);
  return error == MPI_SUCCESS && input == MPI_IN_PLACE ? raise_in_place(entry, *checked.comm) : error;
}

int reduce_to_root(const Entry& entry, const ReduceCall& call, int root) {
  CheckedReduction checked;
  if (const int error = check_reduce_to_root(entry, call, root, checked); error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(entry, checked);
  if (!checked.comm->is_inter()) [[likely]] {
    return reduce_intracomm(entry, *checked.comm, checked.reduction);
  }
  return root == MPI_PROC_NULL ? inter_non_root(entry, *checked.comm)
                               : inter_reduce(entry, *checked.comm, checked.reduction);
}

}  // namespace

int check_reduce_to_each(const Entry& entry, Collective kind, Outcome outcome, const ReduceCall& call,
                         CheckedReduction& checked) {
  int error = MPI_SUCCESS;
  checked.comm =
      outcome == Outcome::at_all ? checked_comm(entry, call.comm, error) : checked_intra(entry, call.comm, error);
  if (checked.comm == nullptr) {
    return error;
  }
  const Communicator& comm = *checked.comm;
  Reduction& reduction = checked.reduction;
  reduction.call = kind;
  reduction.outcome = outcome;
  reduction.output = call.recvbuf;
  reduction.has_output = true;
  checked.in_place = call.sendbuf == MPI_IN_PLACE;
  error = prepare_reduction(entry, comm, {"sendbuf", call.sendbuf, call.count, call.datatype}, call.op, reduction);
  if (error != MPI_SUCCESS) {
    return error;
  }
  if (outcome == Outcome::exscan && comm.rank == 0) {
    reduction.has_output = false;  // recvbuf is not used: it may be null, which is not MPI_BOTTOM here
    return checked.in_place || call.recvbuf == nullptr ? MPI_SUCCESS : check_aliasing(entry, call, *reduction.type);
  }
  error = check_output(entry, call, reduction);
  return error == MPI_SUCCESS && comm.is_inter() && checked.in_place ? raise_in_place(entry, comm) : error;
}

int check_reduce_to_root(const Entry& entry, const ReduceCall& call, int root, CheckedReduction& checked) {
  int error = MPI_SUCCESS;
  checked.comm = checked_comm(entry, call.comm, error);
  if (checked.comm != nullptr) {
    error = check_root(entry, *checked.comm, root);
  }
  if (checked.comm == nullptr || error != MPI_SUCCESS) {
    return error;
  }
  const Communicator& comm = *checked.comm;
  Reduction& reduction = checked.reduction;
  reduction.call = Collective::reduce;
  reduction.root = root;
  if (comm.is_inter()) [[unlikely]] {
    return check_reduce_to_other_group(entry, call, root, checked);
  }
  const bool is_root = comm.rank == root;
  checked.in_place = call.sendbuf == MPI_IN_PLACE;
  if (!is_root && checked.in_place) [[unlikely]] {
    return entry.raise(call.comm, MPI_ERR_BUFFER, "sendbuf is MPI_IN_PLACE at rank {}, which is not the root {}",
                       comm.rank, root);
  }
  reduction.has_output = is_root;
  reduction.output = is_root ? call.recvbuf : nullptr;
  error = prepare_reduction(entry, comm, {"sendbuf", call.sendbuf, call.count, call.datatype}, call.op, reduction);
  return error == MPI_SUCCESS && is_root ? check_output(entry, call, reduction) : error;
}

void run_reduction(CollectiveSteps& executor, const CheckedReduction& checked) {
  if (!checked.comm->is_inter()) {
    by_messages::reduce(executor, checked.reduction);
  } else if (checked.reduction.outcome != Outcome::at_root || checked.reduction.root != MPI_PROC_NULL) {
    by_messages::inter_reduce(executor, checked.reduction);
  }
}

namespace {

int reduce_to_root(const CallWithRequest& request_call, const ReduceCall& call, int root) {
  CheckedReduction checked;
  int error = request_call.check(call.comm);
  if (error == MPI_SUCCESS) {
    error = check_reduce_to_root(request_call.entry, call, root, checked);
  }
  if (error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(request_call.entry, checked);
  return request_call.schedule(*checked.comm, [&](CollectiveSteps& executor) { run_reduction(executor, checked); });
}

int reduce_to_each(const CallWithRequest& request_call, Collective kind, Outcome outcome, const ReduceCall& call) {
  CheckedReduction checked;
  int error = request_call.check(call.comm);
  if (error == MPI_SUCCESS) {
    error = check_reduce_to_each(request_call.entry, kind, outcome, call, checked);
  }
  if (error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(request_call.entry, checked);
  return is_deferred(request_call, checked) ? begin_deferred_reduction(request_call, checked)
                                            : request_call.schedule(*checked.comm, [&](CollectiveSteps& executor) {
                                                run_reduction(executor, checked);
                                              });
}

}  // namespace

}  // namespace coll
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/coll/reduce/reduce.inc"
