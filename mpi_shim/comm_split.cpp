// Communicators whose members are found out by asking all: MPI_Comm_split and MPI_Comm_create.
#include <algorithm>
#include <bit>
#include <map>

#include "mpi_shim/assembly.hpp"
#include "mpi_shim/entry.hpp"

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

Colors sort_by_color(const Side& side) {
  Colors colors;
  for (int member = 0; member < side.size(); ++member) {
    if (const int color = color_of(side.brought(member)); color != MPI_UNDEFINED) {
      colors[color].push_back(member);
    }
  }
  for (auto& [color, members] : colors) {
    std::stable_sort(members.begin(), members.end(),
                     [&](int a, int b) { return key_of(side.brought(a)) < key_of(side.brought(b)); });
  }
  return colors;
}

void clear(Side& side) {
  for (int member = 0; member < side.size(); ++member) {
    side.give_nothing(member);
  }
}

std::shared_ptr<const Group> world_ranks(const Side& side, const std::vector<int>& members) {
  std::vector<int> ranks;
  ranks.reserve(members.size());
  for (const int member : members) {
    ranks.push_back(side.shared.group->world_rank(member));
  }
  return Group::list(std::move(ranks));
}

void give_all(Side& side, const std::vector<int>& members, const std::shared_ptr<const CommShared>& comm) {
  for (const int member : members) {
    side.give(member, comm);
  }
}

// An intercommunicator of members of both sides; each side gets its half.
void make_inter(runtime::Job& job, Side& local, const std::vector<int>& here, Side& remote,
                const std::vector<int>& there) {
  const auto lease = Context::fresh(job);
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
      give_all(local, members, make_comm(job, Context::fresh(job), {.group = world_ranks(local, members)}));
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

// The numbers in the side's group of the members of `group`; none when one of them is not in it.
std::vector<int> numbers_in(const Side& side, const Group& group) {
  std::vector<int> numbers;
  numbers.reserve(static_cast<std::size_t>(group.size()));
  for (int i = 0; i < group.size(); ++i) {
    const int number = side.shared.group->number_of(group.world_rank(i));
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
    const std::vector<int> here = numbers_in(local, *group_of(local, 0));
    const std::vector<int> there = numbers_in(*remote, *group_of(*remote, 0));
    if (!here.empty() && !there.empty()) {
      make_inter(job, local, here, *remote, there);
    }
    return;
  }
  for (int member = 0; member < local.size(); ++member) {
    const auto& group = group_of(local, member);
    if (group->number_of(local.shared.group->world_rank(member)) == 0) {
      if (const auto members = numbers_in(local, *group); !members.empty()) {
        give_all(local, members, make_comm(job, Context::fresh(job), {.group = group}));
      }
    }
  }
}

int assemble_comm(const Entry& entry, const Communicator& parent, std::uint64_t word, Maker make, MPI_Comm* newcomm) {
  auto shared = assemble_shared<CommShared>(entry.me, parent, word, make);
  *newcomm = shared == nullptr ? MPI_COMM_NULL : adopt(entry.me, std::move(shared), parent).handle;
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
  const Entry entry("MPI_Comm_split");
  const Communicator* const parent = find_comm(entry.me, comm);
  if (parent == nullptr || newcomm == nullptr) {
    return parent == nullptr ? entry.bad_comm(comm) : entry.null_argument(comm, "newcomm");
  }
  if (color < 0 && color != MPI_UNDEFINED) {
    return entry.raise(comm, MPI_ERR_ARG, "color {} is negative and not MPI_UNDEFINED", color);
  }
  return assemble_comm(entry, *parent, pack(color, key), &split, newcomm);
}

int PMPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info /*info*/, MPI_Comm* newcomm) {
  const Entry entry("MPI_Comm_split_type");
  const Communicator* const parent = find_comm(entry.me, comm);
  if (parent == nullptr || newcomm == nullptr) {
    return parent == nullptr ? entry.bad_comm(comm) : entry.null_argument(comm, "newcomm");
  }
  const bool known = split_type == MPI_UNDEFINED ||
                     (split_type >= MPI_COMM_TYPE_SHARED && split_type <= MPI_COMM_TYPE_RESOURCE_GUIDED);
  if (!known) {
    return entry.raise(comm, MPI_ERR_ARG, "split_type {} is not a way to split", split_type);
  }
  // Memory is shared by all ranks of the process. Below it ranks move, so no smaller piece of hardware is theirs.
  const int color = split_type == MPI_COMM_TYPE_SHARED ? 0 : MPI_UNDEFINED;
  return assemble_comm(entry, *parent, pack(color, key), &split, newcomm);
}

int PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
  const Entry entry("MPI_Comm_create");
  const Communicator* const parent = find_comm(entry.me, comm);
  if (parent == nullptr || newcomm == nullptr) {
    return parent == nullptr ? entry.bad_comm(comm) : entry.null_argument(comm, "newcomm");
  }
  const std::shared_ptr<const Group>* const found = find_group(entry.me, group);
  if (found == nullptr) {
    return entry.raise(comm, MPI_ERR_GROUP, "group is not a group of this rank");
  }
  if (const int error = assemble_comm(entry, *parent, std::bit_cast<std::uint64_t>(found), &create, newcomm);
      error != MPI_SUCCESS) {
    return error;
  }
  const bool expected = !parent->is_inter() && (*found)->number_of(entry.me.world.rank) != MPI_UNDEFINED;
  if (expected && *newcomm == MPI_COMM_NULL) {
    return entry.raise(comm, MPI_ERR_GROUP, "a member of the group is not in the communicator");
  }
  return MPI_SUCCESS;
}
}
