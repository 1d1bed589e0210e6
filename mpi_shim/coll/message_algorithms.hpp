// Collective calls by messages alone: blocking ones whose members live in several processes, and those with a request.
// Each is written once, as the steps of a CollectiveSteps. REQUIRES: checked arguments. Members that pass different
// ones get no error.
#pragma once

#include "mpi_shim/coll/collective_steps.hpp"
#include "mpi_shim/coll/reduction_arguments.hpp"
#include "mpi_shim/coll/rooted_call.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// Runs a checked reduction of any outcome, on any communicator.
void run_reduction(CollectiveSteps& executor, const CheckedReduction& checked);
// The same. REQUIRES: it is an intracommunicator.
void run_intracomm_reduction(CollectiveSteps& executor, const Reduction& reduction);

}  // namespace coll
}  // namespace weft::mpi_shim

namespace weft::mpi_shim::by_messages {

void barrier(CollectiveSteps& executor);
void bcast(CollectiveSteps& executor, const runtime::Buffer& buffer, int root);
void gather(CollectiveSteps& executor, const RootedCall& call, const CheckedRooted& rooted);
void scatter(CollectiveSteps& executor, const RootedCall& call, const CheckedRooted& rooted);
// REQUIRES: the member's own block is in its place already.
void allgather(CollectiveSteps& executor, const Blocks& places);
// Sends `blocks` and receives into `places`, which do not overlap.
void alltoall(CollectiveSteps& executor, const Blocks& blocks, const Blocks& places);
// REQUIRES: the reduction has the call's outcome. Its input may be its output.
void reduce(CollectiveSteps& executor, const Reduction& reduction);
void allreduce(CollectiveSteps& executor, const Reduction& reduction);
void reduce_scatter(CollectiveSteps& executor, const Reduction& reduction);
void scan(CollectiveSteps& executor, const Reduction& reduction);  // MPI_Exscan, too

// The same between the groups of an intercommunicator. REQUIRES: the root is not MPI_PROC_NULL; such members have
// nothing to do.
void inter_barrier(CollectiveSteps& executor);
void inter_bcast(CollectiveSteps& executor, const runtime::Buffer& buffer, int root);
void inter_gather(CollectiveSteps& executor, const runtime::Buffer& own, const Blocks& places, int root);
void inter_scatter(CollectiveSteps& executor, const Blocks& blocks, const runtime::Buffer& own, int root);
void inter_allgather(CollectiveSteps& executor, const runtime::Buffer& own, const Blocks& places);
void inter_alltoall(CollectiveSteps& executor, const Blocks& blocks, const Blocks& places);
void inter_reduce(CollectiveSteps& executor, const Reduction& reduction);  // of any outcome but scan and exscan

}  // namespace weft::mpi_shim::by_messages
