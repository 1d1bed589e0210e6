// MPI_Barrier.
#include "mpi_shim/ampi/migrate_at.hpp"
#include "mpi_shim/coll/call_check.hpp"
#include "mpi_shim/coll/intercomm/intercomm.hpp"
#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/traced_collective.hpp"
#include "mpi_shim/coll/traffic_counter.hpp"

using namespace weft::mpi_shim;

extern "C" int PMPI_Barrier(MPI_Comm comm) {
  migrate_at(Place::barrier, comm, "MPI_Barrier");
  const Entry entry("MPI_Barrier");
  int error = MPI_SUCCESS;
  const Communicator* const found = checked_comm(entry, comm, error);
  if (found == nullptr) {
    return error;
  }
  trace_collective(entry, *found, -1, 0, 0);
  if (found->is_inter()) [[unlikely]] {
    return inter_barrier(entry, *found);
  }
  if (found->spans_processes()) [[unlikely]] {
    return run_now(entry, *found, spread::barrier);
  }
  if (found->team() == nullptr) {
    return MPI_SUCCESS;
  }
  if (const auto over = instead_of_meeting(entry, *found, Collective::barrier, 0, spread::barrier)) {
    return *over;
  }
  return meet_in_agreement(entry, *found, CallSignature::of_bytes(Collective::barrier, 0, 0));
}
