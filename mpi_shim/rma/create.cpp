// MPI_Win_create, MPI_Win_allocate, MPI_Win_allocate_shared, MPI_Win_create_dynamic, MPI_Win_free.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "mpi_shim/attribute/attribute_callbacks.hpp"
#include "mpi_shim/entry/failure_errors.hpp"
#include "mpi_shim/error/errhandler.hpp"
#include "mpi_shim/info/info.hpp"
#include "mpi_shim/rma/epochs.hpp"
#include "mpi_shim/state/process_state.hpp"

namespace weft::mpi_shim::rma {

namespace {

constexpr std::size_t kPage = 4096;

// The arguments that the calls which create windows share.
struct CreateArguments {
  MPI_Aint size = 0;
  MPI_Aint disp_unit = 1;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  int flavor = 0;
};

// The call's communicator. Null if an argument is wrong; then `error` has been raised.
const Communicator* check(const Entry& entry, const CreateArguments& arguments, const void* base, const MPI_Win* win,
                          int& error) {
  const Communicator* const comm = find_comm(entry.me, arguments.comm);
  if (comm == nullptr) {
    error = entry.bad_comm(arguments.comm);
  } else if (comm->is_inter()) {
    error = entry.raise(arguments.comm, MPI_ERR_COMM, "comm is an intercommunicator");
  } else if (win == nullptr) {
    error = entry.null_argument(arguments.comm, "win");
  } else if (arguments.size < 0) {
    error = entry.raise(arguments.comm, MPI_ERR_SIZE, "size {} is negative", arguments.size);
  } else if (arguments.disp_unit <= 0) {
    error = entry.raise(arguments.comm, MPI_ERR_DISP, "disp_unit {} is not positive", arguments.disp_unit);
  } else if (arguments.info != MPI_INFO_NULL && find_info(entry.me, arguments.info) == nullptr) {
    error = entry.raise(arguments.comm, MPI_ERR_INFO, "info is not an info object");
  } else if ((base == nullptr || base == MPI_IN_PLACE) && arguments.size > 0 &&
             arguments.flavor == MPI_WIN_FLAVOR_CREATE) {
    error = entry.raise(arguments.comm, MPI_ERR_BASE, "base is a null pointer or MPI_IN_PLACE, with size {}",
                        arguments.size);
  } else if (error = refuse_if_fault_tolerant(entry, *comm, "windows"); error == MPI_SUCCESS) {
    return comm;
  }
  return nullptr;
}

// A new window that other members do not know yet; finish_creation() publishes it once its memory is set.
std::unique_ptr<Window> prepare(const Entry& entry, const Communicator& comm, const CreateArguments& arguments) {
  auto window = std::make_unique<Window>();
  window->rank = comm.rank;
  PMPI_Comm_split(arguments.comm, 0, comm.rank, &window->comm);
  Communicator& own = *find_comm(entry.me, window->comm);
  own.name = "the communicator of a window";
  own.is_internal = true;
  window->values = new (allocate(entry.me, alignof(std::max_align_t), sizeof(WindowValues))) WindowValues();
  window->values->flavor = arguments.flavor;
  window->values->size = arguments.size;
  window->values->disp_unit = static_cast<int>(arguments.disp_unit);
  if (const Info* const info = find_info(entry.me, arguments.info); info != nullptr) {
    window->hints = info->pairs;
  }
  return window;
}

// The members exchange the addresses of their memory. When it returns at one of them, all have the window.
MPI_Win finish_creation(const Entry& entry, std::unique_ptr<Window> window) {
  RankState& me = entry.me;
  const CommShared& comm = *find_comm(me, window->comm)->shared;
  const auto members = static_cast<std::size_t>(comm.group->size());
  const WindowValues& values = *window->values;
  std::vector<WindowMemory> memories(members);
  const WindowMemory mine{reinterpret_cast<std::uintptr_t>(values.base), values.size, values.disp_unit};
  PMPI_Allgather(&mine, sizeof mine, MPI_BYTE, memories.data(), sizeof mine, MPI_BYTE, window->comm);
  window->shared =
      process_part<WindowRegistry>(me.rank->job).find_or_make(comm.context, comm.group, std::move(memories));
  // Pairs with local_exposure(): a thread that finds the exposure sees it completely constructed.
  window->shared->exposures[static_cast<std::size_t>(window->rank)].store(window->exposure.get(),
                                                                          std::memory_order_release);
  window->target_epochs.resize(members);
  window->unflushed.resize(me.rank->job.process_count());
  PMPI_Barrier(window->comm);
  me.rank->call = entry.call();
  Window& placed = *window;
  placed.handle = me.part<Windows>().table.add<MPI_Win>(std::move(window));
  return placed.handle;
}

int create(const Entry& entry, void* base, const CreateArguments& arguments, MPI_Win* win) {
  int error = MPI_SUCCESS;
  const Communicator* const comm = check(entry, arguments, base, win, error);
  if (comm == nullptr) {
    return error;
  }
  const InCallback no_step(entry.me);  // in the collective calls below
  auto window = prepare(entry, *comm, arguments);
  window->values->base = base;
  *win = finish_creation(entry, std::move(window));
  return MPI_SUCCESS;
}

// Called at all members if one of them has no memory.
int raise_no_memory(const Entry& entry, Window& window, const CreateArguments& arguments) {
  deallocate(entry.me, window.memory);
  deallocate(entry.me, window.values);
  PMPI_Comm_free(&window.comm);
  return entry.raise(arguments.comm, MPI_ERR_NO_MEM, "a member has no memory for its part; this one asked for {} bytes",
                     arguments.size);
}

bool all_allocated(const Entry& entry, const Window& window, bool here) {
  int have = here ? 1 : 0;
  PMPI_Allreduce(MPI_IN_PLACE, &have, 1, MPI_INT, MPI_MIN, window.comm);
  entry.me.rank->call = entry.call();
  return have != 0;
}

int allocate_window(const Entry& entry, const CreateArguments& arguments, void* baseptr, MPI_Win* win) {
  int error = MPI_SUCCESS;
  const Communicator* const comm = check(entry, arguments, nullptr, win, error);
  if (comm == nullptr) {
    return error;
  }
  const InCallback no_step(entry.me);  // in the collective calls below
  auto window = prepare(entry, *comm, arguments);
  const auto bytes = static_cast<std::size_t>(arguments.size);
  window->memory = allocate(entry.me, bytes < kPage ? 64 : kPage, bytes);
  if (!all_allocated(entry, *window, window->memory != nullptr)) {
    return raise_no_memory(entry, *window, arguments);
  }
  window->values->base = window->memory;
  std::memcpy(baseptr, &window->memory, sizeof window->memory);
  *win = finish_creation(entry, std::move(window));
  return MPI_SUCCESS;
}

// Member 0 allocates the memory of all members, whose parts follow each other.
void allocate_contiguous(const Entry& entry, Window& window, const CreateArguments& arguments) {
  const Communicator& comm = *find_comm(entry.me, window.comm);
  std::vector<MPI_Aint> sizes(static_cast<std::size_t>(comm.size()));
  PMPI_Allgather(&arguments.size, 1, MPI_AINT, sizes.data(), 1, MPI_AINT, window.comm);
  if (comm.rank == 0) {
    const MPI_Aint all = std::accumulate(sizes.begin(), sizes.end(), MPI_Aint{0});
    window.memory = allocate(entry.me, kPage, static_cast<std::size_t>(all));
  }
  MPI_Aint base = reinterpret_cast<MPI_Aint>(window.memory);
  PMPI_Bcast(&base, 1, MPI_AINT, 0, window.comm);
  if (base != 0) {
    const MPI_Aint before = std::accumulate(sizes.begin(), sizes.begin() + comm.rank, MPI_Aint{0});
    window.values->base = reinterpret_cast<void*>(base + before);
  }
}

bool in_one_process(const RankState& me, const Communicator& comm) {
  const runtime::Job& job = me.rank->job;
  for (int i = 0; i < comm.size(); ++i) {
    if (runtime::Job::process_of(job.rank(static_cast<std::uint32_t>(comm.shared->group->job_rank(i)))) !=
        job.process()) {
      return false;
    }
  }
  return true;
}

int allocate_shared(const Entry& entry, const CreateArguments& arguments, void* baseptr, MPI_Win* win) {
  int error = MPI_SUCCESS;
  const Communicator* const comm = check(entry, arguments, nullptr, win, error);
  if (comm == nullptr) {
    return error;
  }
  if (!in_one_process(entry.me, *comm)) {
    return entry.raise(arguments.comm, MPI_ERR_RMA_SHARED,
                       "members of comm live in several processes: MPI_Comm_split_type with MPI_COMM_TYPE_SHARED makes "
                       "communicators of one");
  }
  const InCallback no_step(entry.me);  // in the collective calls below
  auto window = prepare(entry, *comm, arguments);
  const Info hints{window->hints};
  const std::string* const noncontiguous = hints.find("alloc_shared_noncontig");
  if (noncontiguous != nullptr && *noncontiguous == "true") {
    window->memory = allocate(entry.me, kPage, static_cast<std::size_t>(arguments.size));
    window->values->base = window->memory;
  } else {
    allocate_contiguous(entry, *window, arguments);
  }
  if (!all_allocated(entry, *window, window->values->base != nullptr)) {
    return raise_no_memory(entry, *window, arguments);
  }
  std::memcpy(baseptr, &window->values->base, sizeof(void*));
  *win = finish_creation(entry, std::move(window));
  return MPI_SUCCESS;
}

int free_window(const Entry& entry, MPI_Win* win) {
  RankState& me = entry.me;
  Window* const window = win == nullptr ? nullptr : find_window(me, *win);
  if (window == nullptr) {
    return win == nullptr ? entry.null_argument(MPI_COMM_NULL, "win") : bad_window(entry, *win);
  }
  if (window->access > Access::after_fence || window->exposed_to >= 0) {
    return raise(entry, *window, MPI_ERR_RMA_SYNC, "an epoch of the window is open");
  }
  if (const int error = delete_attributes(me, handle_value(*win), window->attributes); error != MPI_SUCCESS) {
    return raise(entry, *window, error, "the delete function of an attribute failed with {}", error);
  }
  const InCallback no_step(me);  // no balancing step in the barrier
  flush_all(me, *window);
  PMPI_Barrier(window->comm);
  PMPI_Comm_free(&window->comm);
  deallocate(me, window->memory);
  deallocate(me, window->values);
  release_errhandler(me, window->errhandler);
  me.part<Windows>().table.remove(*win);
  *win = MPI_WIN_NULL;
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace weft::mpi_shim::rma

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::rma;

#include "mpi_shim/generated/rma/create.inc"
