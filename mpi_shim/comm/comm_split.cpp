// Communicators whose members are found out by asking all: MPI_Comm_split and MPI_Comm_create.
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

// Members of each colour, by key and then by number.
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
  return sort_by_color(side.size(), [&](int member) { return side.brought(member); });
}

void clear(Side& side) {
  for (int member = 0; member < side.size(); ++member) {
    side.give_nothing(member);
  }
}

std::shared_ptr<const Group> world_ranks(const Group& of, const std::vector<int>& members) {
  std::vector<int> ranks;
  ranks.reserve(members.size());
  for (const int member : members) {
    ranks.push_back(of.world_rank(member));
  }
  return Group::list(std::move(ranks));
}
std::shared_ptr<const Group> world_ranks(const Side& side, const std::vector<int>& members) {
  return world_ranks(*side.shared.group, members);
}

void give_all(Side& side, const std::vector<int>& members, const std::shared_ptr<const CommShared>& comm) {
  for (const int member : members) {
    side.give(member, comm);
  }
}

// An intercommunicator of members of both sides; each side gets its half.
void make_inter(runtime::Job& job, Side& local, const std::vector<int>& here, Side& remote,
                const std::vector<int>& there) {
  const auto lease = fresh_context(job);
  const auto group = world_ranks(local, here);
  const auto others = world_ranks(remote, there);
  give_all(local, here, make_comm(job, lease, {.group = group, .remote = others}));
  give_all(remote, there, make_comm(job, lease, {.group = others, .remote = group, .side = 1}));
}

void split(runtime::Job& job, Side& local, Side* remote) {
  clear(local);
  const Colors here = sort_by_color(local);
  if (remote == nullptr) {
    for (const auto& [color, members] : here) {
      give_all(local, members, make_comm(job, fresh_context(job), {.group = world_ranks(local, members)}));
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

// What a member brings to MPI_Comm_create.
const std::shared_ptr<const Group>& group_of(const Side& side, int member) {
  return *std::bit_cast<const std::shared_ptr<const Group>*>(side.brought(member));
}

// The numbers in `whole` of the members of `group`; none when one of them is not in it.
std::vector<int> numbers_in(const Group& whole, const Group& group) {
  std::vector<int> numbers;
  numbers.reserve(static_cast<std::size_t>(group.size()));
  for (int i = 0; i < group.size(); ++i) {
    const int number = whole.number_of(group.world_rank(i));
    if (number == MPI_UNDEFINED) {
      return {};
    }
    numbers.push_back(number);
  }
  return numbers;
}

// Groups may differ between members as long as they are disjoint: the first of each makes its communicator.
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
    if (group->number_of(local.shared.group->world_rank(member)) == 0) {
      if (const auto members = numbers_in(*local.shared.group, *group); !members.empty()) {
        give_all(local, members, make_comm(job, fresh_context(job), {.group = group}));
      }
    }
  }
}

// --- in a job of several processes ---

const std::shared_ptr<const Group>& group_of_side(const Communicator& comm, int side) {
  return side == comm.shared->side ? comm.shared->group : comm.shared->remote;
}

Colors sort_by_color(const Brought& side) {
  return sort_by_color(side.size(), [&](int member) { return pack(side.of(member)[0], side.of(member)[1]); });
}

// The colours that make a communicator, in order.
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

// The communicator of these members, by their numbers on the sides of the parent; number `index` of those made at once.
MPI_Comm adopt_part(RankState& me, const Communicator& parent, const Assembled& all, std::size_t index,
                    const std::vector<int> (&members)[2]) {
  runtime::Job& job = me.rank->job;
  const int side = parent.shared->side;
  CommBlueprint part;
  part.context = all.first_context + static_cast<std::uint32_t>(index) * job.process_count();
  part.side = side;
  part.group = world_ranks(*group_of_side(parent, side), members[side]);
  if (parent.is_inter()) {
    part.remote = world_ranks(*group_of_side(parent, 1 - side), members[1 - side]);
  }
  return adopt(me, make_comm_by_number(job, std::move(part)), parent).handle;
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
  return adopt_part(me, parent, all, static_cast<std::size_t>(place - colors.begin()), members);
}

// Each group's first member says that it is one. An empty result: no communicator for this rank.
MPI_Comm create_by_messages(RankState& me, const Communicator& parent, const Group& group) {
  std::vector<int> members[2] = {numbers_in(*parent.shared->group, group), {}};
  const int leads = static_cast<int>(!members[0].empty() && group.number_of(me.job_rank) == 0);
  const auto leaders_before = [](const Brought& side, int member) {
    std::uint32_t leaders = 0;
    for (int i = 0; i < member; ++i) {
      leaders += static_cast<std::uint32_t>(side.of(i)[0]);
    }
    return leaders;
  };
  const Assembled all = assemble_by_messages(me, parent, {&leads, 1}, [&](const Assembled& brought) {
    return leaders_before(brought.sides[0], brought.sides[0].size());
  });
  const bool member = group.number_of(me.job_rank) != MPI_UNDEFINED;
  if (!member || members[0].empty() || all.sides[0].of(members[0].front())[0] == 0) {
    return MPI_COMM_NULL;
  }
  return adopt_part(me, parent, all, leaders_before(all.sides[0], members[0].front()), members);
}

// Member 0 of each side brings its group.
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
  return members[0].empty() || members[1].empty() || !member ? MPI_COMM_NULL : adopt_part(me, parent, all, 0, members);
}

int assemble_comm(const Entry& entry, const Communicator& parent, std::uint64_t word, Maker make, MPI_Comm* newcomm) {
  auto shared = assemble_shared<CommShared>(entry.me, parent, word, make);
  *newcomm = shared == nullptr ? MPI_COMM_NULL : adopt(entry.me, std::move(shared), parent).handle;
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

// How a guided split names a kind of hardware or other resource.
bool names(const Info* info, const char* key, std::string_view wanted) {
  const std::string* const value = info == nullptr ? nullptr : info->find(key);
  return value != nullptr && *value == wanted;
}

// The colour of MPI_Comm_split_type. Memory is shared by all ranks of the process. Below it ranks move, so no smaller
// piece of hardware is theirs.
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
  const bool expected = !parent.is_inter() && (*found)->number_of(entry.me.job_rank) != MPI_UNDEFINED;
  if (expected && *newcomm == MPI_COMM_NULL) {
    return entry.raise(parent.handle, MPI_ERR_GROUP, "a member of the group is not in the communicator");
  }
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/comm/comm_split.inc"
