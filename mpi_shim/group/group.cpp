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

std::shared_ptr<const Group> Group::list(std::vector<int> job_ranks) {
  const int count = static_cast<int>(job_ranks.size());
  bool consecutive = true;
  for (int i = 1; consecutive && i < count; ++i) {
    consecutive = job_ranks[static_cast<std::size_t>(i)] == job_ranks.front() + i;
  }
  if (consecutive) {
    return range(count == 0 ? 0 : job_ranks.front(), count);
  }
  auto group = std::make_shared<Group>();
  group->count_ = count;
  group->by_job_rank_.reserve(job_ranks.size());
  for (int i = 0; i < count; ++i) {
    group->by_job_rank_.emplace_back(job_ranks[static_cast<std::size_t>(i)], i);
  }
  std::sort(group->by_job_rank_.begin(), group->by_job_rank_.end());
  group->members_ = std::move(job_ranks);
  return group;
}

int Group::rank_of(int job_rank) const {
  if (is_range()) {
    return job_rank >= first_ && job_rank < first_ + count_ ? job_rank - first_ : MPI_UNDEFINED;
  }
  const auto found = std::lower_bound(by_job_rank_.begin(), by_job_rank_.end(), std::pair(job_rank, 0));
  return found != by_job_rank_.end() && found->first == job_rank ? found->second : MPI_UNDEFINED;
}

bool same_order(const Group& a, const Group& b) {
  if (a.size() != b.size()) {
    return false;
  }
  if (a.is_range() && b.is_range()) {
    return a.size() == 0 || a.job_rank(0) == b.job_rank(0);
  }
  for (int i = 0; i < a.size(); ++i) {
    if (a.job_rank(i) != b.job_rank(i)) {
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
  if (a.is_range() || b.is_range()) {  // as many members between the same two ranks are the same ones
    return a.lowest() == b.lowest() && a.highest() == b.highest() ? MPI_SIMILAR : MPI_UNEQUAL;
  }
  for (int i = 0; i < a.size(); ++i) {
    if (b.rank_of(a.job_rank(i)) == MPI_UNDEFINED) {
      return MPI_UNEQUAL;
    }
  }
  return MPI_SIMILAR;
}

}  // namespace group
}  // namespace weft::mpi_shim
