// MPI_Barrier.
#include "mpi_shim/coll/call_check.hpp"
#include "mpi_shim/coll/intercomm/intercomm.hpp"
#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/migrate_at.hpp"
#include "mpi_shim/coll/run_by_messages.hpp"
#include "mpi_shim/coll/schedule/deferred.hpp"
#include "mpi_shim/coll/traced_collective.hpp"

namespace weft::mpi_shim {
inline namespace coll {
namespace {

int barrier(const Entry& entry, MPI_Comm comm) {
  int error = MPI_SUCCESS;
  const Communicator* const found = checked_comm(entry, comm, error);
  if (found == nullptr) {
    return error;
  }
  trace_collective(entry, *found, -1, MemberBytes{});
  if (found->is_inter()) [[unlikely]] {
    return inter_barrier(entry, *found);
  }
  if (const Locality& locality = found->locality(); locality.team == nullptr) {
    return locality.spans_processes() ? run_blocking(entry, *found, by_messages::barrier) : MPI_SUCCESS;
  }
  if (const auto over = run_by_messages_if_chosen(entry, *found, Collective::barrier, 0, by_messages::barrier)) {
    return *over;
  }
  return checked_barrier(entry, *found, CallSignature::of_bytes(Collective::barrier, 0, 0));
}

int barrier(const CallWithRequest& request_call, MPI_Comm comm) {
  int error = request_call.check(comm);
  Communicator* const found = error == MPI_SUCCESS ? checked_comm(request_call.entry, comm, error) : nullptr;
  if (found == nullptr) {
    return error;
  }
  trace_collective(request_call.entry, *found, -1, MemberBytes{});
  if (is_deferred(request_call, *found, Collective::barrier, 0)) {
    return begin_deferred_barrier(request_call, *found);
  }
  return request_call.schedule(*found, found->is_inter() ? by_messages::inter_barrier : by_messages::barrier);
}

}  // namespace
}  // namespace coll
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/coll/barrier/barrier.inc"
