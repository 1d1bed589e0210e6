// MPI_Group_union, MPI_Group_incl, MPI_Group_translate_ranks and the other calls on groups.
#include <algorithm>

#include "mpi_shim/session/session.hpp"

namespace {

using namespace weft::mpi_shim;
using Range = int[3];

int bad_group(const Entry& entry, MPI_Group group) {
  if (group == MPI_GROUP_NULL) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_GROUP, "group is MPI_GROUP_NULL");
  }
  return entry.raise(MPI_COMM_NULL, MPI_ERR_GROUP, "group {:#x} is not a group of this rank", handle_value(group));
}

// The members of `group` (as ranks of the job) that are also in `other`, or without `of_both` those that are not.
std::vector<int> members(const Group& group, const Group& other, bool of_both) {
  std::vector<int> ranks;
  for (int i = 0; i < group.size(); ++i) {
    if (const int rank = group.job_rank(i); (other.rank_of(rank) != MPI_UNDEFINED) == of_both) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

// The set operations: the new group has the ranks select(a, b). It belongs to the session of `first`, or to that of
// `second` if `first` is of no session.
template <typename Select>
int combine(const Entry& entry, MPI_Group first, MPI_Group second, MPI_Group* result, const Select& select) {
  const auto* const a = find_group(entry.me, first);
  const auto* const b = find_group(entry.me, second);
  if (a == nullptr || b == nullptr) {
    return bad_group(entry, a == nullptr ? first : second);
  }
  if (result == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "newgroup");
  }
  *result = new_group(entry.me, Group::list(select(**a, **b)));
  const MPI_Session session = session_of(entry.me, first);
  note_session(entry.me, session == MPI_SESSION_NULL ? session_of(entry.me, second) : session, *result);
  return MPI_SUCCESS;
}

// An array argument as the caller passed it: the number may be negative, the address null.
template <typename Item>
struct InputArray {
  int n;
  Item* items;
};

// MPI_SUCCESS when `ranks` are distinct members of `group`, else the raised error.
int check_members(const Entry& entry, const Group& group, const std::vector<int>& ranks) {
  std::vector<bool> seen(static_cast<std::size_t>(group.size()));
  for (const int rank : ranks) {
    if (rank < 0 || rank >= group.size()) {
      return entry.raise(MPI_COMM_NULL, MPI_ERR_RANK, "rank {} is not in the group (0..{})", rank, group.size() - 1);
    }
    if (seen[static_cast<std::size_t>(rank)]) {
      return entry.raise(MPI_COMM_NULL, MPI_ERR_RANK, "rank {} is named twice", rank);
    }
    seen[static_cast<std::size_t>(rank)] = true;
  }
  return MPI_SUCCESS;
}

// Makes the group of the chosen members, or with `exclude` of the other members. REQUIRES: `from` is a live handle.
int choose(const Entry& entry, MPI_Group from, const std::vector<int>& chosen, bool exclude, MPI_Group* newgroup) {
  if (newgroup == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "newgroup");
  }
  const Group& group = **find_group(entry.me, from);
  if (const int error = check_members(entry, group, chosen); error != MPI_SUCCESS) {
    return error;
  }
  std::vector<int> ranks;
  if (exclude) {
    std::vector<bool> out(static_cast<std::size_t>(group.size()));
    for (const int rank : chosen) {
      out[static_cast<std::size_t>(rank)] = true;
    }
    for (int rank = 0; rank < group.size(); ++rank) {
      if (!out[static_cast<std::size_t>(rank)]) {
        ranks.push_back(group.job_rank(rank));
      }
    }
  } else {
    std::transform(chosen.begin(), chosen.end(), std::back_inserter(ranks),
                   [&](int rank) { return group.job_rank(rank); });
  }
  *newgroup = new_group(entry.me, Group::list(std::move(ranks)));
  note_session(entry.me, session_of(entry.me, from), *newgroup);
  return MPI_SUCCESS;
}

int choose_list(const Entry& entry, MPI_Group group, InputArray<const int> list, bool exclude, MPI_Group* newgroup) {
  const auto [n, ranks] = list;
  const auto* const found = find_group(entry.me, group);
  if (found == nullptr) {
    return bad_group(entry, group);
  }
  if (n < 0 || (n > 0 && ranks == nullptr)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "n is {} and ranks is {}", n, ranks == nullptr ? "null" : "set");
  }
  return choose(entry, group, std::vector<int>(ranks, ranks + n), exclude, newgroup);
}

int choose_ranges(const Entry& entry, MPI_Group group, InputArray<Range> list, bool exclude, MPI_Group* newgroup) {
  const auto [n, ranges] = list;
  const auto* const found = find_group(entry.me, group);
  if (found == nullptr) {
    return bad_group(entry, group);
  }
  if (newgroup == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "newgroup");
  }
  if (n < 0 || (n > 0 && ranges == nullptr)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "n is {} and ranges is {}", n, ranges == nullptr ? "null" : "set");
  }
  std::vector<int> chosen;
  for (int i = 0; i < n; ++i) {
    const auto [first, last, stride] = ranges[i];
    if (stride == 0) {
      return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "the stride of range {} is 0", i);
    }
    const int size = (*found)->size();
    for (std::int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
      if (rank < 0 || rank >= size) {
        return entry.raise(MPI_COMM_NULL, MPI_ERR_RANK, "range {} has rank {}, the group has ranks 0..{}", i, rank,
                           size - 1);
      }
      chosen.push_back(static_cast<int>(rank));
    }
  }
  return choose(entry, group, chosen, exclude, newgroup);
}

int comm_group(const Entry& entry, MPI_Comm comm, bool remote, MPI_Group* group) {
  const Communicator* const found = find_comm(entry.me, comm);
  if (found == nullptr || group == nullptr) {
    return found == nullptr ? entry.bad_comm(comm) : entry.null_argument(comm, "group");
  }
  if (remote && !found->is_inter()) {
    return entry.raise(comm, MPI_ERR_COMM, "comm is not an intercommunicator");
  }
  *group = new_group(entry.me, remote ? found->shared->remote : found->shared->group);
  note_session(entry.me, found->session, *group);
  return MPI_SUCCESS;
}

int group_size(const Entry&, const Group& group, int* size) {
  *size = group.size();
  return MPI_SUCCESS;
}

int group_rank(const Entry& entry, const Group& group, int* rank) {
  *rank = group.rank_of(entry.me.job_rank);
  return MPI_SUCCESS;
}

int group_translate_ranks(const Entry& entry, MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
                          int ranks2[]) {
  const auto* const from = find_group(entry.me, group1);
  const auto* const to = find_group(entry.me, group2);
  if (from == nullptr || to == nullptr) {
    return bad_group(entry, from == nullptr ? group1 : group2);
  }
  if (n < 0 || (n > 0 && (ranks1 == nullptr || ranks2 == nullptr))) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "n is {} or an array is a null pointer", n);
  }
  for (int i = 0; i < n; ++i) {
    if (ranks1[i] != MPI_PROC_NULL && (ranks1[i] < 0 || ranks1[i] >= (*from)->size())) {
      return entry.raise(MPI_COMM_NULL, MPI_ERR_RANK, "ranks1[{}] is {}, the group has ranks 0..{}", i, ranks1[i],
                         (*from)->size() - 1);
    }
    ranks2[i] = ranks1[i] == MPI_PROC_NULL ? MPI_PROC_NULL : (*to)->rank_of((*from)->job_rank(ranks1[i]));
  }
  return MPI_SUCCESS;
}

int group_compare(const Entry&, const Group& group1, const Group& group2, int* result) {
  *result = compare(group1, group2);
  return MPI_SUCCESS;
}

int group_free(const Entry& entry, MPI_Group* group) {
  if (find_group(entry.me, *group) == nullptr) {
    return bad_group(entry, *group);
  }
  if (*group != MPI_GROUP_EMPTY) {
    entry.me.groups.remove(*group);
    entry.me.part<Sessions>().of_group.erase(*group);
  }
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}

int group_union(const Entry& entry, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return combine(entry, group1, group2, newgroup, [](const Group& a, const Group& b) {
    std::vector<int> ranks;
    for (int i = 0; i < a.size(); ++i) {
      ranks.push_back(a.job_rank(i));
    }
    const std::vector<int> more = members(b, a, false);
    ranks.insert(ranks.end(), more.begin(), more.end());
    return ranks;
  });
}

int group_intersection(const Entry& entry, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return combine(entry, group1, group2, newgroup, [](const Group& a, const Group& b) { return members(a, b, true); });
}

int group_difference(const Entry& entry, MPI_Group group1, MPI_Group group2, MPI_Group* newgroup) {
  return combine(entry, group1, group2, newgroup, [](const Group& a, const Group& b) { return members(a, b, false); });
}

}  // namespace

#include "mpi_shim/generated/group/group_calls.inc"
