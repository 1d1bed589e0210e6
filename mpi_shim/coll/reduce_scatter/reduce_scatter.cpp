// MPI_Reduce_scatter, MPI_Reduce_scatter_block.
#include <optional>
#include <vector>

#include "mpi_shim/coll/intercomm/intercomm.hpp"
#include "mpi_shim/coll/reduce/combiner.hpp"
#include "mpi_shim/coll/reduce/reduction.hpp"
#include "mpi_shim/coll/reduce/reduction_checks.hpp"
#include "mpi_shim/coll/reduce/reduction_request.hpp"
#include "mpi_shim/coll/reduce/word_call.hpp"
#include "mpi_shim/coll/traced_collective.hpp"

namespace weft::mpi_shim {
inline namespace coll {
namespace {

// The result is split into blocks: of `each` items for every member, or of counts[i] for member i.
struct ReduceScatterCall {
  Collective kind;
  const void* sendbuf;
  void* recvbuf;
  MPI_Count each;
  ArrayArgument counts;
  MPI_Datatype datatype;
  MPI_Op op;
  MPI_Comm comm;
};

MPI_Count count_of(const ReduceScatterCall& call, std::size_t member) {
  return call.counts ? call.counts[member] : call.each;
}

// The sum of these over all members differs if the counts do, with very high probability.
std::uint64_t fingerprint_of(std::size_t member, std::size_t n) { return n * (2 * member + 1) * 0x2545f4914f6cdd1dU; }

// The first element of each block, and the end of the last block.
std::vector<std::size_t> block_starts(const ReduceScatterCall& call, std::size_t members, std::size_t per_datatype,
                                      std::uint64_t& fingerprint) {
  std::vector<std::size_t> starts(members + 1);
  for (std::size_t i = 0; i < members; ++i) {
    const auto n = static_cast<std::size_t>(count_of(call, i));
    starts[i + 1] = starts[i] + n * per_datatype;
    fingerprint += fingerprint_of(i, n);
  }
  return starts;
}

// In place the result would overwrite input that others still read: it goes to temporary memory until all have
// finished.
int reduce_to_temporary(const Entry& entry, const Communicator& comm, Reduction& reduction) {
  const Datatype& type = *reduction.type;
  const auto me = static_cast<std::size_t>(comm.rank);
  const std::size_t elements = reduction.starts[me + 1] - reduction.starts[me];
  const std::size_t n = reduction.user_op != nullptr ? elements : elements / elements_in(type);
  void* const target = reduction.output;
  std::vector<std::max_align_t> memory;
  if (n != 0) {
    reduction.output = scratch_buffer(type, n, memory);
  }
  const int error = reduce_intracomm(entry, comm, reduction);
  if (error == MPI_SUCCESS && n != 0) {
    runtime::transfer(message_buffer(reduction.output, n, type), message_buffer(target, n, type));
  }
  return error;
}

void note_counts(const Entry& entry, const ReduceScatterCall& call, std::size_t members, std::size_t element) {
  std::vector<std::size_t> bytes;
  for (std::size_t i = 0; i < members; ++i) {
    bytes.push_back(static_cast<std::size_t>(count_of(call, i)) * element);
  }
  note_blocks(entry, trace::EventKind::block_to, bytes);
}

// Fast path for blocks of at most one word together. False: the general path must be taken.
bool reduce_scatter_word(const Entry& entry, const ReduceScatterCall& call, int& error) {
  const Communicator* const comm = find_comm(entry.me, call.comm);
  if (comm == nullptr || (call.kind == Collective::reduce_scatter && !call.counts)) {
    return false;
  }
  const auto me = static_cast<std::size_t>(comm->rank);
  const auto members = static_cast<std::size_t>(comm->size());
  std::uint64_t fingerprint = 0;
  constexpr auto most = static_cast<MPI_Count>(kWordBytes);
  MPI_Count total = 0, before = 0;
  for (std::size_t i = 0; i < members; ++i) {
    const MPI_Count n = count_of(call, i);
    if (n < 0 || n > most - total) {
      return false;
    }
    before = i == me ? total : before;
    total += n;
    fingerprint += fingerprint_of(i, static_cast<std::size_t>(n));
  }
  const ReduceCall whole{call.sendbuf, call.recvbuf, total, call.datatype, call.op, call.comm};
  const std::optional<WordCall> found = find_word_call(entry, comm, call.kind, whole);
  const MPI_Count own = count_of(call, me);
  if (!found || (call.recvbuf == nullptr && own != 0)) {
    return false;
  }
  const std::size_t bytes = static_cast<std::size_t>(own) * found->type->size();
  if (calls_are_recorded) [[unlikely]] {
    note_counts(entry, call, members, found->type->size());
  }
  trace_collective(entry, *comm, -1, MemberBytes{found->bytes, bytes, found->type->size()});
  std::uint64_t word = 0;
  error = reduce_word(entry, *found, fingerprint, word);
  if (error == MPI_SUCCESS && own != 0) {
    const auto* const first = reinterpret_cast<const std::byte*>(&word);
    copy_word(call.recvbuf, first + static_cast<std::size_t>(before) * found->type->size(), bytes);
  }
  return true;
}

int check_output(const Entry& entry, const ReduceScatterCall& call, const CheckedReduction& checked, MPI_Count total) {
  const Datatype& type = *checked.reduction.type;
  const auto me = static_cast<std::size_t>(checked.comm->rank);
  if (call.recvbuf == nullptr && lies_at_null(nullptr, count_of(call, me), type)) {
    return entry.raise(call.comm, MPI_ERR_BUFFER, "recvbuf is null");
  }
  if (call.recvbuf == MPI_IN_PLACE) {
    return raise_not_in_place(entry, *checked.comm, "recvbuf");
  }
  const bool receives = count_of(call, me) > 0 || call.recvbuf != nullptr;
  if (call.recvbuf == call.sendbuf && total > 0 && type.size() > 0 && receives) {
    return entry.raise(call.comm, MPI_ERR_BUFFER, "sendbuf and recvbuf are the same; MPI_IN_PLACE says so");
  }
  return checked.in_place && checked.comm->is_inter() ? raise_in_place(entry, *checked.comm) : MPI_SUCCESS;
}

int check_reduce_scatter(const Entry& entry, const ReduceScatterCall& call, CheckedReduction& checked) {
  int error = MPI_SUCCESS;
  checked.comm = checked_comm(entry, call.comm, error);
  if (checked.comm != nullptr && call.kind == Collective::reduce_scatter) {
    error = check_counts(entry, *checked.comm, "recvcounts", call.counts, checked.comm->size());
  }
  if (checked.comm == nullptr || error != MPI_SUCCESS) {
    return error;
  }
  if (call.each < 0) {
    return entry.raise(call.comm, MPI_ERR_COUNT, "recvcount {} is negative", call.each);
  }
  const auto members = static_cast<std::size_t>(checked.comm->size());
  MPI_Count total = 0;
  for (std::size_t i = 0; i < members; ++i) {
    total += count_of(call, i);
  }
  Reduction& reduction = checked.reduction;
  reduction.call = call.kind;
  reduction.outcome = Outcome::scattered;
  reduction.output = call.recvbuf;
  reduction.has_output = true;
  checked.in_place = call.sendbuf == MPI_IN_PLACE;
  error = prepare_reduction(entry, *checked.comm, {"sendbuf", call.sendbuf, total, call.datatype}, call.op, reduction);
  if (error != MPI_SUCCESS) {
    return error;
  }
  checked.starts = block_starts(call, members, reduction.user_op != nullptr ? 1 : elements_in(*reduction.type),
                                reduction.fingerprint);
  reduction.starts = checked.starts;
  return check_output(entry, call, checked, total);
}

int reduce_scatter_vector(const Entry& entry, const ReduceScatterCall& call) {
  CheckedReduction checked;
  if (const int error = check_reduce_scatter(entry, call, checked); error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(entry, checked);
  const Communicator& comm = *checked.comm;
  if (comm.is_inter()) [[unlikely]] {
    return inter_reduce(entry, comm, checked.reduction);
  }
  const bool aside = checked.in_place && !comm.spans_processes() && comm.team() != nullptr;
  return aside ? reduce_to_temporary(entry, comm, checked.reduction) : reduce_intracomm(entry, comm, checked.reduction);
}

int reduce_scatter(const Entry& entry, const ReduceScatterCall& call) {
  int error = MPI_SUCCESS;
  return reduce_scatter_word(entry, call, error) ? error : reduce_scatter_vector(entry, call);
}

int reduce_scatter(const CallWithRequest& request_call, const ReduceScatterCall& call) {
  return reduce_with_request(request_call, call.comm, [&](CheckedReduction& checked) {
    return check_reduce_scatter(request_call.entry, call, checked);
  });
}

}  // namespace
}  // namespace coll
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/coll/reduce_scatter/reduce_scatter.inc"
