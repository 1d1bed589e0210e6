// MPI_Allreduce.
#include <optional>

#include "mpi_shim/coll/intercomm/intercomm.hpp"
#include "mpi_shim/coll/migrate_at.hpp"
#include "mpi_shim/coll/reduce/reduction.hpp"
#include "mpi_shim/coll/reduce/reduction_checks.hpp"
#include "mpi_shim/coll/reduce/reduction_request.hpp"
#include "mpi_shim/coll/reduce/word_call.hpp"
#include "mpi_shim/coll/traced_collective.hpp"

namespace weft::mpi_shim {
inline namespace coll {
namespace {

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

int check_allreduce(const Entry& entry, const ReduceCall& call, CheckedReduction& checked) {
  int error = MPI_SUCCESS;
  checked.comm = checked_comm(entry, call.comm, error);
  if (checked.comm == nullptr) {
    return error;
  }
  error = prepare_reduction_to_each(entry, Collective::allreduce, Outcome::at_all, call, checked);
  if (error == MPI_SUCCESS) {
    error = check_recvbuf(entry, call, checked.reduction);
  }
  return error == MPI_SUCCESS && checked.comm->is_inter() && checked.in_place ? raise_in_place(entry, *checked.comm)
                                                                              : error;
}

int allreduce(const Entry& entry, const ReduceCall& call) {
  int error = MPI_SUCCESS;
  if (allreduce_word(entry, call, error)) {
    return error;
  }
  CheckedReduction checked;
  error = check_allreduce(entry, call, checked);
  if (error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(entry, checked);
  return checked.comm->is_inter() ? inter_reduce(entry, *checked.comm, checked.reduction)
                                  : reduce_intracomm(entry, *checked.comm, checked.reduction);
}

int allreduce(const CallWithRequest& request_call, const ReduceCall& call) {
  return reduce_with_request(request_call, call.comm, [&](CheckedReduction& checked) {
    return check_allreduce(request_call.entry, call, checked);
  });
}

}  // namespace
}  // namespace coll
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/coll/allreduce/allreduce.inc"
