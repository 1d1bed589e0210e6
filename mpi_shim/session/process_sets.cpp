// Process sets: their names and info, and the groups and intercommunicators made from them. There are two sets: all
// ranks, and the rank itself.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <functional>
#include <string_view>

#include "mpi_shim/comm/join_groups.hpp"
#include "mpi_shim/entry/thread_level.hpp"
#include "mpi_shim/error/errhandler.hpp"
#include "mpi_shim/info/info.hpp"
#include "mpi_shim/session/session.hpp"

using namespace weft::mpi_shim;

namespace {

constexpr std::array<std::string_view, 2> kProcessSets{"mpi://WORLD", "mpi://SELF"};

// Sets `group` to the set's members. Null when there is no such set. The names are compared without regard to case.
const Group* members_of(RankState& me, const char* name, std::shared_ptr<const Group>& group) {
  const auto is = [&](std::string_view set) {
    const std::string_view given(name);
    return std::ranges::equal(
        given, set, {}, [](unsigned char c) { return std::tolower(c); },
        [](unsigned char c) { return std::tolower(c); });
  };
  if (is(kProcessSets[0])) {
    group = me.world.shared->group;
  } else if (is(kProcessSets[1])) {
    group = me.self.shared->group;
  }
  return group.get();
}

int no_such_set(const Entry& entry, const Session& session, const char* name) {
  return raise_in(entry, session, MPI_ERR_ARG, "there is no process set {}: there are mpi://WORLD and mpi://SELF",
                  name == nullptr ? "(a null pointer)" : name);
}

// A tag for the string: the leaders use it in the universe's context, in which programs send nothing. Tags that
// programs pass to MPI_Intercomm_create are used in other contexts.
int tag_of(const char* text) {
  constexpr std::size_t kNumbers = (std::size_t{1} << 29) - 1;
  return (1 << 29) | static_cast<int>(std::hash<std::string_view>()(text) & kNumbers);
}

// MPI_SUCCESS when `leader` is a rank of the group, else the raised error.
int check_leader(const Entry& entry, MPI_Group group, int leader, const char* which) {
  const auto* const found = find_group(entry.me, group);
  if (found == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_GROUP, "{}_group is not a group of this rank", which);
  }
  if (leader < 0 || leader >= (*found)->size()) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_RANK, "{}_leader {} is not a rank of the group (0..{})", which, leader,
                       (*found)->size() - 1);
  }
  return MPI_SUCCESS;
}

int session_get_num_psets(const Entry&, Session&, MPI_Info /*info*/, int* npset_names) {
  *npset_names = static_cast<int>(kProcessSets.size());
  return MPI_SUCCESS;
}

int session_get_nth_pset(const Entry& entry, Session& session, MPI_Info /*info*/, int n, int* pset_len,
                         char* pset_name) {
  if (n < 0 || static_cast<std::size_t>(n) >= kProcessSets.size() || pset_len == nullptr || *pset_len < 0 ||
      (*pset_len > 0 && pset_name == nullptr)) {
    return raise_in(entry, session, MPI_ERR_ARG, "n is {} of {} process sets, or the room for its name is not there", n,
                    kProcessSets.size());
  }
  const std::string_view name = kProcessSets[static_cast<std::size_t>(n)];
  if (*pset_len > 0) {
    const std::size_t length = std::min(name.size(), static_cast<std::size_t>(*pset_len) - 1);
    std::memcpy(pset_name, name.data(), length);
    pset_name[length] = '\0';
  }
  *pset_len = static_cast<int>(name.size()) + 1;
  return MPI_SUCCESS;
}

int session_get_pset_info(const Entry& entry, Session& session, const char* pset_name, MPI_Info* info) {
  std::shared_ptr<const Group> group;
  if (pset_name == nullptr || members_of(entry.me, pset_name, group) == nullptr) {
    return no_such_set(entry, session, pset_name);
  }
  Info known;
  known.set("mpi_size", std::to_string(group->size()));
  *info = new_info(entry.me, known);
  return MPI_SUCCESS;
}

int session_get_info(const Entry& entry, Session& session, MPI_Info* info_used) {
  Info known;
  known.set("thread_level", name_of_thread_level(session.thread_level));
  known.set("mpi_memory_alloc_kinds", "mpi,system");
  *info_used = new_info(entry.me, known);
  return MPI_SUCCESS;
}

int group_from_session_pset(const Entry& entry, Session& session, const char* pset_name, MPI_Group* newgroup) {
  std::shared_ptr<const Group> group;
  if (pset_name == nullptr || members_of(entry.me, pset_name, group) == nullptr) {
    *newgroup = MPI_GROUP_NULL;
    return no_such_set(entry, session, pset_name);
  }
  *newgroup = new_group(entry.me, std::move(group));
  note_session(entry.me, session.handle, *newgroup);
  return MPI_SUCCESS;
}

int intercomm_create_from_groups(const Entry& entry, MPI_Group local_group, int local_leader, MPI_Group remote_group,
                                 int remote_leader, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler,
                                 MPI_Comm* newintercomm) {
  if (newintercomm == nullptr || stringtag == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, newintercomm == nullptr ? "newintercomm" : "stringtag");
  }
  if (const int error = check_leader(entry, local_group, local_leader, "local"); error != MPI_SUCCESS) {
    return error;
  }
  const Group& local = **find_group(entry.me, local_group);
  int remote_rank = 0;
  if (local.job_rank(local_leader) == entry.me.job_rank) {  // the remote group is significant here only
    if (const int error = check_leader(entry, remote_group, remote_leader, "remote"); error != MPI_SUCCESS) {
      return error;
    }
    remote_rank = (*find_group(entry.me, remote_group))->job_rank(remote_leader);
    if (local.rank_of(remote_rank) != MPI_UNDEFINED) {
      return entry.raise(MPI_COMM_NULL, MPI_ERR_GROUP, "remote_leader {} is in the local group", remote_leader);
    }
  }
  MPI_Comm near = MPI_COMM_NULL;
  const std::string name = std::string("one side of ") + stringtag;
  const InCallback inside(entry.me);
  int error = PMPI_Comm_create_from_group(local_group, name.c_str(), info, errhandler, &near);
  if (error == MPI_SUCCESS) {
    *newintercomm = join_in_job(entry.me, *find_comm(entry.me, near), local_leader, remote_rank, tag_of(stringtag));
    PMPI_Comm_free(&near);
  }
  return error;
}

}  // namespace

#include "mpi_shim/generated/session/process_sets.inc"
