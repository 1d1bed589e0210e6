// The functions that AMPI adds to MPI: weft_ampi.h.
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "mpi_shim/ampi/hints.hpp"
#include "mpi_shim/ampi/migration.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/entry/unsupported.hpp"
#include "mpi_shim/request/progress.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sched/worker.hpp"

namespace {

using weft::mpi_shim::Entry;
using weft::mpi_shim::Migration;

weft::runtime::Load& updated_load(const Entry& entry) {
  weft::runtime::Worker::current()->update_load();
  return entry.me.rank->load;
}

// REQUIRES: what `options` points to lies in the rank's memory.
int run_step(const Entry& entry, const weft::runtime::StepOptions& options) {
  if (entry.me.callbacks != 0) {
    return refuse_in_callback(entry);
  }
  if (!options.checkpoint.empty() && entry.me.rank->job.failures() != nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_UNSUPPORTED_OPERATION,
                       "with --survive api no checkpoint is written: that would wait for processes that have died");
  }
  if (options.balance || !options.checkpoint.empty() || options.image) {
    complete_collectives(entry.me);
    weft::runtime::Rank& rank = *entry.me.rank;
    rank.job.migrate(rank, options);  // from here on entry.me may be gone
  }
  return MPI_SUCCESS;
}

int migrate(const char* call, MPI_Info info) {
  const Entry entry(call);
  std::array<char, PATH_MAX> folder;  // on the rank's stack, which moves with it
  weft::runtime::StepOptions options;
  {
    weft::mpi_shim::MigrateHints hints;  // not in the rank's memory: gone before the rank moves
    if (const int error = read_hints(entry, info, hints); error != MPI_SUCCESS) {
      return error;
    }
    options.balance = hints.balance;
    options.image = hints.memory_checkpoint;
    const std::size_t length = hints.checkpoint_dir.copy(folder.data(), folder.size());
    options.checkpoint = {folder.data(), length};
  }
  return run_step(entry, options);
}

int register_pup(const Entry& entry, MPI_PupFn function, void* data, int* index) {
  if (function == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "fn");
  }
  auto& functions = entry.me.part<Migration>().pup_functions;
  if (index != nullptr) {
    *index = static_cast<int>(functions.size());
  }
  functions.push_back({.function = function, .data = data, .packed = {}});
  return MPI_SUCCESS;
}

// Null after an error has been raised.
const Migration::PupFunction* pup_function(const Entry& entry, int index, int& error) {
  const auto& functions = entry.me.part<Migration>().pup_functions;
  if (index < 0 || static_cast<std::size_t>(index) >= functions.size()) {
    error = entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "idx {} is not of a registered pup function", index);
    return nullptr;
  }
  return &functions[static_cast<std::size_t>(index)];
}

int register_callback(const Entry& entry, std::vector<MPI_MigrateFn>& functions, MPI_MigrateFn function) {
  if (function == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "fn");
  }
  functions.push_back(function);
  return MPI_SUCCESS;
}

int set_migratable(const Entry& entry, int migratable) {
  entry.me.rank->migratable = migratable != 0;
  return MPI_SUCCESS;
}

int start_measure(const Entry& entry) {
  updated_load(entry).start();
  return MPI_SUCCESS;
}

int stop_measure(const Entry& entry) {
  updated_load(entry).stop();
  return MPI_SUCCESS;
}

int set_load(const Entry& entry, double seconds) {
  if (!(seconds >= 0)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "load {} is negative", seconds);
  }
  entry.me.rank->load.declare(seconds);
  return MPI_SUCCESS;
}

int print(const Entry& entry, const char* text) {
  const std::string line = fmt::format("[{}] {}\n", entry.me.world.rank, text);
  entry.me.rank->job.program().print(entry.me.rank->id, line);
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int AMPI_Migrate(MPI_Info hints) { return migrate("AMPI_Migrate", hints); }

int AMPI_Migrate_to_pe(int dest) {
  const Entry entry("AMPI_Migrate_to_pe");
  if (dest < 0 || static_cast<std::uint32_t>(dest) >= entry.me.rank->job.total_workers()) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "dest {} is not a worker: the job has {}", dest,
                       entry.me.rank->job.total_workers());
  }
  entry.me.rank->wanted_worker = static_cast<std::uint32_t>(dest);
  return MPI_SUCCESS;
}

int AMPI_Set_migratable(int mig) { return set_migratable(Entry("AMPI_Set_migratable"), mig); }

int AMPI_Register_pup(MPI_PupFn fn, void* data, int* idx) {
  return register_pup(Entry("AMPI_Register_pup"), fn, data, idx);
}

int AMPI_Get_pup_data(int idx, void* data) {
  const Entry entry("AMPI_Get_pup_data");
  int error = MPI_SUCCESS;
  if (const auto* const found = pup_function(entry, idx, error); found != nullptr) {
    std::memcpy(data, &found->data, sizeof found->data);
  }
  return error;
}

int AMPI_Register_about_to_migrate(MPI_MigrateFn fn) {
  const Entry entry("AMPI_Register_about_to_migrate");
  return register_callback(entry, entry.me.part<Migration>().before, fn);
}

int AMPI_Register_just_migrated(MPI_MigrateFn fn) {
  const Entry entry("AMPI_Register_just_migrated");
  return register_callback(entry, entry.me.part<Migration>().after, fn);
}

int AMPI_Load_start_measure() { return start_measure(Entry("AMPI_Load_start_measure")); }
int AMPI_Load_stop_measure() { return stop_measure(Entry("AMPI_Load_stop_measure")); }

int AMPI_Load_reset_measure() {
  updated_load(Entry("AMPI_Load_reset_measure")).reset();
  return MPI_SUCCESS;
}

int AMPI_Load_set_value(double value) { return set_load(Entry("AMPI_Load_set_value"), value); }

int AMPI_Type_is_contiguous(MPI_Datatype datatype, int* flag) {
  const Entry entry("AMPI_Type_is_contiguous");
  const weft::mpi_shim::Datatype* const type = find_datatype(entry.me, datatype);
  if (type == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_TYPE, "datatype is not a datatype of this rank");
  }
  *flag = static_cast<int>(type->contiguous());
  return MPI_SUCCESS;
}

int AMPI_Yield() {
  const Entry entry("AMPI_Yield");
  weft::runtime::yield(*entry.me.rank);
  return MPI_SUCCESS;
}

// The caller's process leaves the job, whichever of its ranks has called.
int AMPI_Evacuate() {
  const Entry entry("AMPI_Evacuate");
  const weft::runtime::Job& job = entry.me.rank->job;
  if (!job.config().resize_request) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_UNSUPPORTED_OPERATION,
                       "a process goes only in jobs of weftrun --survive");
  }
  job.config().resize_request->request_evacuation();
  return MPI_SUCCESS;
}

int AMPI_Print(const char* str) { return print(Entry("AMPI_Print", Entry::kAnytime), str); }
int AMPI_System(const char* cmd) { return std::system(cmd); }

// AMPI's own traces do not exist here.
int AMPI_Trace_begin() { return MPI_SUCCESS; }
int AMPI_Trace_end() { return MPI_SUCCESS; }

// Not supported.
int AMPI_Install_Idle_Timer() { return weft_mpi_unsupported("AMPI_Install_Idle_Timer"); }
int AMPI_Uninstall_Idle_Timer() { return weft_mpi_unsupported("AMPI_Uninstall_Idle_Timer"); }
int AMPI_Suspend() { return weft_mpi_unsupported("AMPI_Suspend"); }
int AMPI_Resume(int /*dest*/, MPI_Comm /*comm*/) { return weft_mpi_unsupported("AMPI_Resume"); }
int AMPI_Iget(MPI_Aint /*orgdisp*/, int /*orgcnt*/, MPI_Datatype /*orgtype*/, int /*rank*/, MPI_Aint /*targdisp*/,
              int /*targcnt*/, MPI_Datatype /*targtype*/, MPI_Win /*win*/, MPI_Request* /*request*/) {
  return weft_mpi_unsupported("AMPI_Iget");
}
int AMPI_Iget_wait(MPI_Request* /*request*/, MPI_Status* /*status*/, MPI_Win /*win*/) {
  return weft_mpi_unsupported("AMPI_Iget_wait");
}
int AMPI_Iget_free(MPI_Request* /*request*/, MPI_Status* /*status*/, MPI_Win /*win*/) {
  return weft_mpi_unsupported("AMPI_Iget_free");
}
int AMPI_Iget_data(void* /*data*/, MPI_Status /*status*/) { return weft_mpi_unsupported("AMPI_Iget_data"); }
int AMPI_Alltoall_medium(void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                         MPI_Datatype recvtype, MPI_Comm comm) {
  return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
int AMPI_Alltoall_long(void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                       MPI_Datatype recvtype, MPI_Comm comm) {
  return PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

// The older names, without the prefix AMPI_.
int MPI_Register(void* data, MPI_PupFn fn) {
  int index = -1;
  register_pup(Entry("MPI_Register"), fn, data, &index);
  return index;
}
void* MPI_Get_userdata(int idx) {
  int error = MPI_SUCCESS;
  const auto* const found = pup_function(Entry("MPI_Get_userdata"), idx, error);
  return found == nullptr ? nullptr : found->data;
}
int MPI_Async_Migrate() { return migrate("MPI_Async_Migrate", AMPI_INFO_LB_ASYNC); }
int MPI_Setmigratable(MPI_Comm /*comm*/, int mig) { return set_migratable(Entry("MPI_Setmigratable"), mig); }
int MPI_Start_measure() { return start_measure(Entry("MPI_Start_measure")); }
int MPI_Stop_measure() { return stop_measure(Entry("MPI_Stop_measure")); }
int MPI_Set_load(double load) { return set_load(Entry("MPI_Set_load"), load); }
int MPI_Checkpoint(const char* dirname) {
  const Entry entry("MPI_Checkpoint");
  if (dirname == nullptr || *dirname == '\0') {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "dirname is NULL or empty");
  }
  return run_step(entry, {.balance = false, .checkpoint = dirname, .image = false});
}
int MPI_MemCheckpoint() { return migrate("MPI_MemCheckpoint", AMPI_INFO_CHKPT_IN_MEMORY); }
int MPI_Print(const char* str) { return print(Entry("MPI_Print", Entry::kAnytime), str); }
int MPI_System(const char* cmd) { return std::system(cmd); }
}
