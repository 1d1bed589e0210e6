// MPI_Init, MPI_Finalize, MPI_Abort and the queries about them.
#include <fmt/format.h>

#include "mpi_shim/attribute/attribute_callbacks.hpp"
#include "mpi_shim/attribute/attributes.hpp"
#include "mpi_shim/coll/call_check.hpp"
#include "mpi_shim/comm/peers.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/entry/failure_errors.hpp"
#include "mpi_shim/entry/thread_level.hpp"
#include "mpi_shim/p2p/buffered_send.hpp"
#include "mpi_shim/request/completion.hpp"
#include "mpi_shim/session/session.hpp"
#include "runtime/sched/thread_calls.hpp"

namespace {

using weft::mpi_shim::Communicator;
using weft::mpi_shim::Entry;
using weft::mpi_shim::Peers;
using weft::mpi_shim::RankState;

int begin(const Entry& entry, int required, int* provided) {
  RankState& me = entry.me;
  if (me.initialized) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_OTHER, "MPI is already initialized");
  }
  me.part<weft::mpi_shim::ThreadSupport>().level = weft::mpi_shim::provide_threads(me, required);
  if (provided != nullptr) {
    *provided = me.part<weft::mpi_shim::ThreadSupport>().level;
  }
  me.initialized = true;
  me.active = true;
  return MPI_SUCCESS;
}

// Deletes the attributes of MPI_COMM_SELF, then those of MPI_COMM_WORLD, each in reverse order of setting, as MPI says.
int run_delete_callbacks(RankState& me) {
  for (Communicator* const comm : {&me.self, &me.world}) {
    const int error = delete_attributes(me, weft::mpi_shim::handle_value(comm->handle), comm->attributes);
    if (error != MPI_SUCCESS) {
      return error;
    }
  }
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

// Any thread may call these at any time. A thread without a rank was created by a rank, so MPI was initialized.
int PMPI_Initialized(int* flag) {
  *flag = weft::mpi_shim::query_state([](const RankState& me) { return static_cast<int>(me.initialized); }, 1);
  return MPI_SUCCESS;
}

int PMPI_Finalized(int* flag) {
  *flag = weft::mpi_shim::query_state([](const RankState& me) { return static_cast<int>(me.finalized); }, 0);
  return MPI_SUCCESS;
}

int PMPI_Is_thread_main(int* flag) {
  *flag = weft::mpi_shim::query_state(
      [](const RankState&) { return static_cast<int>(!weft::runtime::is_thread_call()); }, 0);
  return MPI_SUCCESS;
}

int PMPI_Query_thread(int* provided) {
  *provided = weft::mpi_shim::query_state(
      [](const RankState& me) { return me.part<weft::mpi_shim::ThreadSupport>().level; }, MPI_THREAD_FUNNELED);
  return MPI_SUCCESS;
}

int PMPI_Finalize() {
  const Entry entry("MPI_Finalize");
  RankState& me = entry.me;
  if (weft::runtime::is_thread_call()) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_OTHER, "called by another thread than the rank's main thread");
  }
  if (me.rank->thread_calls_under_way != 0) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_OTHER, "{} of the rank's threads are in calls",
                       me.rank->thread_calls_under_way);
  }
  if (const int error = run_delete_callbacks(me); error != MPI_SUCCESS) {
    return entry.raise(MPI_COMM_SELF, error, "a delete callback of an attribute failed with {}", error);
  }
  weft::mpi_shim::flush_buffered_sends(me);
  weft::mpi_shim::finish_abandoned_requests(me);
  if (me.world.spans_processes()) {
    try {
      barrier_among(Peers::within(me, me.world, weft::mpi_shim::kBarrierTag));
    } catch (const weft::mpi_shim::CallFailed&) {  // with --survive api, after a death: ends without the barrier
    }
  } else if (me.world.team() != nullptr) {
    const auto signature = weft::mpi_shim::CallSignature::of_bytes(weft::mpi_shim::Collective::finalize, 0, 0);
    if (const int error = checked_barrier(entry, me.world, signature); error != MPI_SUCCESS) {
      return error;
    }
  }
  me.finalized = true;
  me.active = me.part<weft::mpi_shim::Sessions>().open.live() > 0;
  return MPI_SUCCESS;
}

int PMPI_Abort(MPI_Comm comm, int errorcode) {
  const Entry entry("MPI_Abort", Entry::kAnytime);
  const Communicator* const found = find_comm(entry.me, comm);
  entry.me.rank->job.abort(errorcode,
                           fmt::format("rank {}: MPI_Abort({}, {})", entry.me.world.rank,
                                       found == nullptr ? "an invalid communicator" : describe(*found), errorcode));
}
}

#include "mpi_shim/generated/environment/init.inc"
