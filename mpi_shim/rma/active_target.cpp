// MPI_Win_fence; MPI_Win_post, MPI_Win_start, MPI_Win_complete and MPI_Win_wait.
#include <algorithm>

#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/rma/epochs.hpp"

namespace weft::mpi_shim::rma {

namespace {

int fence(const Entry& entry, Window& window, int assertion) {
  if (const int error = check_assertion(entry, window, assertion,
                                        MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED);
      error != MPI_SUCCESS) {
    return error;
  }
  if (window.access > Access::fence || window.exposed_to >= 0) {
    return raise(entry, window, MPI_ERR_RMA_SYNC, "an epoch of MPI_Win_{} is open",
                 window.access == Access::started ? "start"
                 : window.exposed_to >= 0         ? "post"
                                                  : "lock");
  }
  flush_all(entry.me, window);
  window.access = (assertion & MPI_MODE_NOSUCCEED) != 0 ? Access::none : Access::after_fence;
  const InCallback no_step(entry.me);  // no balancing step in the barrier
  const int error = PMPI_Barrier(window.comm);
  entry.me.rank->call = entry.call();
  return error;
}

// Appends the numbers that the group's members have in the window. MPI_SUCCESS, or the error raised if one is not a
// member of the window.
int members_of(const Entry& entry, const Window& window, MPI_Group group, std::vector<int>& members) {
  const std::shared_ptr<const Group>* const found = find_group(entry.me, group);
  if (found == nullptr) {
    return raise(entry, window, MPI_ERR_GROUP, "group is not a group of this rank");
  }
  for (int i = 0; i < (*found)->size(); ++i) {
    const int member = window.shared->group->rank_of((*found)->job_rank(i));
    if (member == MPI_UNDEFINED) {
      return raise(entry, window, MPI_ERR_GROUP, "member {} of the group is no member of the window", i);
    }
    members.push_back(member);
  }
  return MPI_SUCCESS;
}

void notify(RankState& me, Window& window, int member, RmaMessageKind kind) {
  if (Exposure* const here = window.shared->local_exposure(member); here == nullptr) {
    RmaMessage({.window = window.shared->id, .kind = kind, .target = member, .origin = window.rank})
        .send(me.rank->job, process_of(me, window, member));
  } else if (kind == RmaMessageKind::posted) {
    here->add_post(window.rank);
  } else {
    here->add_completion();
  }
}

int post(const Entry& entry, Window& window, MPI_Group group, int assertion) {
  std::vector<int> members;
  int error = check_assertion(entry, window, assertion, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
  error = error == MPI_SUCCESS ? members_of(entry, window, group, members) : error;
  if (error != MPI_SUCCESS) {
    return error;
  }
  if (window.exposed_to >= 0 || window.access == Access::fence) {
    return raise(entry, window, MPI_ERR_RMA_SYNC, "an epoch of MPI_Win_{} is open",
                 window.exposed_to >= 0 ? "post" : "fence");
  }
  window.exposed_to = static_cast<int>(members.size());
  for (const int member : members) {
    notify(entry.me, window, member, RmaMessageKind::posted);
  }
  return MPI_SUCCESS;
}

// Does not wait until the targets have posted: operations on them do.
int start(const Entry& entry, Window& window, MPI_Group group, int assertion) {
  std::vector<int> members;
  int error = check_assertion(entry, window, assertion, MPI_MODE_NOCHECK);
  error = error == MPI_SUCCESS ? members_of(entry, window, group, members) : error;
  if (error != MPI_SUCCESS) {
    return error;
  }
  if (window.access > Access::after_fence) {
    return raise(entry, window, MPI_ERR_RMA_SYNC, "another access epoch of the window is open");
  }
  window.access = Access::started;
  for (const int member : members) {
    window.target_epoch(member) = TargetEpoch::started;
  }
  window.targets = std::move(members);
  return MPI_SUCCESS;
}

int complete(const Entry& entry, Window& window) {
  if (window.access != Access::started) {
    return raise(entry, window, MPI_ERR_RMA_SYNC, "no epoch of MPI_Win_start is open");
  }
  for (const int member : window.targets) {
    may_access(entry.me, window, member);
  }
  window.outstanding.wait(entry.me, MPI_ANY_SOURCE);
  for (const int member : window.targets) {
    window.target_epoch(member) = TargetEpoch::none;
    notify(entry.me, window, member, RmaMessageKind::completed);  // arrives after all operations
  }
  // The targets wait for these operations, so that later flushes need not.
  std::fill(window.unflushed.begin(), window.unflushed.end(), 0);
  window.targets.clear();
  window.access = Access::none;
  return MPI_SUCCESS;
}

int check_exposed(const Entry& entry, const Window& window) {
  return window.exposed_to >= 0 ? MPI_SUCCESS
                                : raise(entry, window, MPI_ERR_RMA_SYNC, "no epoch of MPI_Win_post is open");
}

int wait(const Entry& entry, Window& window) {
  if (const int error = check_exposed(entry, window); error != MPI_SUCCESS) {
    return error;
  }
  window.exposure->wait_completions(entry.me, static_cast<std::uint32_t>(window.exposed_to));
  window.exposed_to = -1;
  return MPI_SUCCESS;
}

int test(const Entry& entry, Window& window, int* flag) {
  if (flag == nullptr) {
    return null_argument(entry, window, "flag");
  }
  if (const int error = check_exposed(entry, window); error != MPI_SUCCESS) {
    return error;
  }
  make_progress(entry.me);
  *flag = window.exposure->take_completions(static_cast<std::uint32_t>(window.exposed_to)) ? 1 : 0;
  if (*flag != 0) {
    window.exposed_to = -1;
  }
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace weft::mpi_shim::rma

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::rma;

#include "mpi_shim/generated/rma/active_target.inc"
