// Communicators whose members are known only once all members of the parent have contributed: MPI_Comm_split and
// MPI_Comm_create.
#include <algorithm>
#include <bit>
#include <map>

#include "mpi_shim/comm/assembly.hpp"
#include "mpi_shim/comm/assembly_by_messages.hpp"
#include "mpi_shim/comm/membership.hpp"
#include "mpi_shim/comm/process_comms.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/info/info.hpp"

namespace {

using namespace weft::mpi_shim;
namespace runtime = weft::runtime;

std::uint64_t pack(int color, int key) {
  return std::uint64_t{static_cast<std::uint32_t>(color)} << 32 | static_cast<std::uint32_t>(key);
}
int color_of(std::uint64_t word) { return static_cast<int>(word >> 32); }
int key_of(std::uint64_t word) { return static_cast<int>(word & 0xffffffffU); }

// The members of each colour, sorted by key and then by number.
using Colors = std::map<int, std::vector<int>>;

template <typename WordOf>
Colors sort_by_color(int size, WordOf&& word_of) {
  Colors colors;
  for (int member = 0; member < size; ++member) {
    if (const int color = color_of(word_of(member)); color != MPI_UNDEFINED) {
      colors[color].push_back(member);
    }
  }
  for (auto& [color, members] : colors) {
    std::stable_sort(members.begin(), members.end(),
                     [&](int a, int b) { return key_of(word_of(a)) < key_of(word_of(b)); });
  }
  return colors;
}

Colors sort_by_color(const Side& side) {
  return sort_by_color(side.size(), [&](int member) { return side.contribution(member); });
}

void clear(Side& side) {
  for (int member = 0; member < side.size(); ++member) {
    side.set_no_result(member);
  }
}

std::shared_ptr<const Group> job_ranks(const Group& of, const std::vector<int>& members) {
  std::vector<int> ranks;
  ranks.reserve(members.size());
  for (const int member : members) {
    ranks.push_back(of.job_rank(member));
  }
  return Group::list(std::move(ranks));
}
std::shared_ptr<const Group> job_ranks(const Side& side, const std::vector<int>& members) {
  return job_ranks(*side.shared.group, members);
}

void set_result_of_all(Side& side, const std::vector<int>& members, const std::shared_ptr<const CommShared>& comm) {
  for (const int member : members) {
    side.set_result(member, comm);
  }
}

// An intercommunicator of members of both sides; each side gets its half.
void make_inter(runtime::Job& job, Side& local, const std::vector<int>& here, Side& remote,
                const std::vector<int>& there) {
  const auto lease = fresh_context(job);
  const auto group = job_ranks(local, here);
  const auto others = job_ranks(remote, there);
  set_result_of_all(local, here, make_comm(job, lease, {.group = group, .remote = others}));
  set_result_of_all(remote, there, make_comm(job, lease, {.group = others, .remote = group, .side = 1}));
}

void split(runtime::Job& job, Side& local, Side* remote) {
  clear(local);
  const Colors here = sort_by_color(local);
  if (remote == nullptr) {
    for (const auto& [color, members] : here) {
      set_result_of_all(local, members, make_comm(job, fresh_context(job), {.group = job_ranks(local, members)}));
    }
    return;
  }
  clear(*remote);
  const Colors there = sort_by_color(*remote);
  for (const auto& [color, members] : here) {
    if (const auto match = there.find(color); match != there.end()) {
      make_inter(job, local, members, *remote, match->second);
    }
  }
}

// A member's contribution to MPI_Comm_create.
const std::shared_ptr<const Group>& group_of(const Side& side, int member) {
  return *std::bit_cast<const std::shared_ptr<const Group>*>(side.contribution(member));
}

// The numbers in `whole` of the members of `group`. Empty if one of them is not in `whole`.
std::vector<int> numbers_in(const Group& whole, const Group& group) {
  std::vector<int> numbers;
  numbers.reserve(static_cast<std::size_t>(group.size()));
  for (int i = 0; i < group.size(); ++i) {
    const int number = whole.rank_of(group.job_rank(i));
    if (number == MPI_UNDEFINED) {
      return {};
    }
    numbers.push_back(number);
  }
  return numbers;
}

// Members may pass different groups if these are disjoint: one communicator is made for each group, at its first
// member.
void create(runtime::Job& job, Side& local, Side* remote) {
  clear(local);
  if (remote != nullptr) {
    clear(*remote);
    const std::vector<int> here = numbers_in(*local.shared.group, *group_of(local, 0));
    const std::vector<int> there = numbers_in(*remote->shared.group, *group_of(*remote, 0));
    if (!here.empty() && !there.empty()) {
      make_inter(job, local, here, *remote, there);
    }
    return;
  }
  for (int member = 0; member < local.size(); ++member) {
    const auto& group = group_of(local, member);
    if (group->rank_of(local.shared.group->job_rank(member)) == 0) {
      if (const auto members = numbers_in(*local.shared.group, *group); !members.empty()) {
        set_result_of_all(local, members, make_comm(job, fresh_context(job), {.group = group}));
      }
    }
  }
}

// --- in a job of several processes ---

const std::shared_ptr<const Group>& group_of_side(const Communicator& comm, int side) {
  return side == comm.shared->side ? comm.shared->group : comm.shared->remote;
}

Colors sort_by_color(const Contributions& side) {
  return sort_by_color(side.size(), [&](int member) { return pack(side.of(member)[0], side.of(member)[1]); });
}

// The colours of which a communicator is made, in ascending order.
std::vector<int> colors_that_count(const Assembled& all, bool inter) {
  const Colors first = sort_by_color(all.sides[0]);
  const Colors second = inter ? sort_by_color(all.sides[1]) : Colors();
  std::vector<int> colors;
  for (const auto& [color, members] : first) {
    if (!inter || second.contains(color)) {
      colors.push_back(color);
    }
  }
  return colors;
}

// Adds the communicator of these members, which are numbers in the sides of the parent. It is number `index` of those
// that are made at once.
MPI_Comm add_part(RankState& me, const Communicator& parent, const Assembled& all, std::size_t index,
                  const std::vector<int> (&members)[2]) {
  runtime::Job& job = me.rank->job;
  const int side = parent.shared->side;
  CommBlueprint part;
  part.context = all.first_context + static_cast<std::uint32_t>(index) * job.process_count();
  part.side = side;
  part.group = job_ranks(*group_of_side(parent, side), members[side]);
  if (parent.is_inter()) {
    part.remote = job_ranks(*group_of_side(parent, 1 - side), members[1 - side]);
  }
  return add_comm(me, make_comm_by_number(job, std::move(part)), parent).handle;
}

MPI_Comm split_by_messages(RankState& me, const Communicator& parent, int color, int key) {
  const bool inter = parent.is_inter();
  const int words[] = {color, key};
  const Assembled all = assemble_by_messages(me, parent, words, [&](const Assembled& brought) {
    return static_cast<std::uint32_t>(colors_that_count(brought, inter).size());
  });
  const std::vector<int> colors = colors_that_count(all, inter);
  const auto place = std::find(colors.begin(), colors.end(), color);
  if (place == colors.end()) {
    return MPI_COMM_NULL;
  }
  std::vector<int> members[2];
  for (int side = 0; side < (inter ? 2 : 1); ++side) {
    members[side] = sort_by_color(all.sides[side]).at(color);
  }
  return add_part(me, parent, all, static_cast<std::size_t>(place - colors.begin()), members);
}

// The first member of each group contributes 1, the others 0. MPI_COMM_NULL: this rank gets no communicator.
MPI_Comm create_by_messages(RankState& me, const Communicator& parent, const Group& group) {
  std::vector<int> members[2] = {numbers_in(*parent.shared->group, group), {}};
  const int leads = static_cast<int>(!members[0].empty() && group.rank_of(me.job_rank) == 0);
  const auto leaders_before = [](const Contributions& side, int member) {
    std::uint32_t leaders = 0;
    for (int i = 0; i < member; ++i) {
      leaders += static_cast<std::uint32_t>(side.of(i)[0]);
    }
    return leaders;
  };
  const Assembled all = assemble_by_messages(me, parent, {&leads, 1}, [&](const Assembled& brought) {
    return leaders_before(brought.sides[0], brought.sides[0].size());
  });
  const bool member = group.rank_of(me.job_rank) != MPI_UNDEFINED;
  if (!member || members[0].empty() || all.sides[0].of(members[0].front())[0] == 0) {
    return MPI_COMM_NULL;
  }
  return add_part(me, parent, all, leaders_before(all.sides[0], members[0].front()), members);
}

// Member 0 of each side contributes its group.
MPI_Comm create_inter_by_messages(RankState& me, const Communicator& parent, const Group& group) {
  const std::vector<int> mine = parent.rank == 0 ? numbers_in(*parent.shared->group, group) : std::vector<int>();
  const Assembled all = assemble_by_messages(me, parent, mine, [](const Assembled&) { return 1U; });
  std::vector<int> members[2];
  for (int side = 0; side < 2; ++side) {
    const std::span<const int> brought = all.sides[side].of(0);
    members[side].assign(brought.begin(), brought.end());
  }
  const std::vector<int>& here = members[parent.shared->side];
  const bool member = std::find(here.begin(), here.end(), parent.rank) != here.end();
  return members[0].empty() || members[1].empty() || !member ? MPI_COMM_NULL : add_part(me, parent, all, 0, members);
}

int assemble_comm(const Entry& entry, const Communicator& parent, std::uint64_t word, MakeResults make,
                  MPI_Comm* newcomm) {
  auto shared = assemble_shared<CommShared>(entry.me, parent, word, make);
  *newcomm = shared == nullptr ? MPI_COMM_NULL : add_comm(entry.me, std::move(shared), parent).handle;
  return MPI_SUCCESS;
}

int split_comm(const Entry& entry, const Communicator& parent, int color, int key, MPI_Comm* newcomm) {
  if (entry.me.rank->job.spans_processes()) {
    *newcomm = split_by_messages(entry.me, parent, color, key);
    return MPI_SUCCESS;
  }
  return assemble_comm(entry, parent, pack(color, key), &split, newcomm);
}

int create_comm(const Entry& entry, const Communicator& parent, const std::shared_ptr<const Group>& group,
                MPI_Comm* newcomm) {
  if (entry.me.rank->job.spans_processes()) {
    *newcomm = parent.is_inter() ? create_inter_by_messages(entry.me, parent, *group)
                                 : create_by_messages(entry.me, parent, *group);
    return MPI_SUCCESS;
  }
  return assemble_comm(entry, parent, std::bit_cast<std::uint64_t>(&group), &create, newcomm);
}

// Whether a guided split asks for this kind of hardware or other resource.
bool names(const Info* info, const char* key, std::string_view wanted) {
  const std::string* const value = info == nullptr ? nullptr : info->find(key);
  return value != nullptr && *value == wanted;
}

// The colour of MPI_Comm_split_type. All ranks of a process share memory. Ranks move between the process's cores, so no
// smaller piece of hardware belongs to them.
int color_of_type(RankState& me, int split_type, const Info* info) {
  const runtime::Rank& rank = *me.rank;
  const bool resource = split_type == MPI_COMM_TYPE_RESOURCE_GUIDED;
  const bool guided = resource || split_type == MPI_COMM_TYPE_HW_GUIDED;
  if (split_type == MPI_COMM_TYPE_SHARED || (guided && names(info, "mpi_hw_resource_type", "mpi_shared_memory"))) {
    return static_cast<int>(number(rank.job.process_of(rank)));
  }
  if (resource && names(info, "mpi_pset_name", "mpi://WORLD")) {
    return 0;
  }
  return resource && names(info, "mpi_pset_name", "mpi://SELF") ? me.job_rank : MPI_UNDEFINED;
}

int comm_split(const Entry& entry, Communicator& parent, int color, int key, MPI_Comm* newcomm) {
  if (color < 0 && color != MPI_UNDEFINED) {
    return entry.raise(parent.handle, MPI_ERR_ARG, "color {} is negative and not MPI_UNDEFINED", color);
  }
  return split_comm(entry, parent, color, key, newcomm);
}

int comm_split_type(const Entry& entry, Communicator& parent, int split_type, int key, MPI_Info info,
                    MPI_Comm* newcomm) {
  const bool known = split_type == MPI_UNDEFINED ||
                     (split_type >= MPI_COMM_TYPE_SHARED && split_type <= MPI_COMM_TYPE_RESOURCE_GUIDED);
  if (!known) {
    return entry.raise(parent.handle, MPI_ERR_ARG, "split_type {} is not a way to split", split_type);
  }
  const int color = color_of_type(entry.me, split_type, find_info(entry.me, info));
  return split_comm(entry, parent, color, key, newcomm);
}

int comm_create(const Entry& entry, Communicator& parent, MPI_Group group, MPI_Comm* newcomm) {
  const std::shared_ptr<const Group>* const found = find_group(entry.me, group);
  if (found == nullptr) {
    return entry.raise(parent.handle, MPI_ERR_GROUP, "group is not a group of this rank");
  }
  if (const int error = create_comm(entry, parent, *found, newcomm); error != MPI_SUCCESS) {
    return error;
  }
  const bool expected = !parent.is_inter() && (*found)->rank_of(entry.me.job_rank) != MPI_UNDEFINED;
  if (expected && *newcomm == MPI_COMM_NULL) {
    return entry.raise(parent.handle, MPI_ERR_GROUP, "a member of the group is not in the communicator");
  }
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/comm/comm_split.inc"
