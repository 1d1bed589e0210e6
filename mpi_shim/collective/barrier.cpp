// MPI_Barrier.
#include "mpi_shim/collective/agreement.hpp"
#include "mpi_shim/collective/blocks.hpp"

using namespace weft::mpi_shim;

extern "C" int PMPI_Barrier(MPI_Comm comm) {
  const Entry entry("MPI_Barrier");
  int error = MPI_SUCCESS;
  const Communicator* const found = checked_intra(entry, comm, error);
  if (found == nullptr || found->team() == nullptr) {
    return error;
  }
  return meet_in_agreement(entry, *found, Mark::of_bytes(Collective::barrier, 0, 0));
}
