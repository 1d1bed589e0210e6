#include "mpi_shim/group/group.hpp"

#include <algorithm>

#include "mpi.h"

namespace weft::mpi_shim {
inline namespace group {

std::shared_ptr<const Group> Group::range(int first, int count) {
  auto group = std::make_shared<Group>();
  group->first_ = first;
  group->count_ = count;
  return group;
}

std::shared_ptr<const Group> Group::list(std::vector<int> world_ranks) {
  const int count = static_cast<int>(world_ranks.size());
  bool consecutive = true;
  for (int i = 1; consecutive && i < count; ++i) {
    consecutive = world_ranks[static_cast<std::size_t>(i)] == world_ranks.front() + i;
  }
  if (consecutive) {
    return range(count == 0 ? 0 : world_ranks.front(), count);
  }
  auto group = std::make_shared<Group>();
  group->count_ = count;
  group->by_world_.reserve(world_ranks.size());
  for (int i = 0; i < count; ++i) {
    group->by_world_.emplace_back(world_ranks[static_cast<std::size_t>(i)], i);
  }
  std::sort(group->by_world_.begin(), group->by_world_.end());
  group->members_ = std::move(world_ranks);
  return group;
}

int Group::rank_of(int world_rank) const {
  if (members_.empty()) {
    return world_rank >= first_ && world_rank < first_ + count_ ? world_rank - first_ : MPI_UNDEFINED;
  }
  const auto found = std::lower_bound(by_world_.begin(), by_world_.end(), std::pair(world_rank, 0));
  return found != by_world_.end() && found->first == world_rank ? found->second : MPI_UNDEFINED;
}

bool same_order(const Group& a, const Group& b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (int i = 0; i < a.size(); ++i) {
    if (a.world_rank(i) != b.world_rank(i)) {
      return false;
    }
  }
  return true;
}

int compare(const Group& a, const Group& b) {
  if (&a == &b || same_order(a, b)) {
    return MPI_IDENT;
  }
  if (a.size() != b.size()) {
    return MPI_UNEQUAL;
  }
  for (int i = 0; i < a.size(); ++i) {
    if (b.rank_of(a.world_rank(i)) == MPI_UNDEFINED) {
      return MPI_UNEQUAL;
    }
  }
  return MPI_SIMILAR;
}

}  // namespace group
}  // namespace weft::mpi_shim
