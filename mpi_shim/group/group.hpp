// MPI groups: ordered sets of ranks of the job. Immutable, and shared by all their users.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pup/pup.hpp"

namespace weft::mpi_shim {
inline namespace group {

// A range of consecutive ranks takes no memory per member.
class Group {
 public:
  static std::shared_ptr<const Group> range(int first, int count);       // first, first + 1, …
  static std::shared_ptr<const Group> list(std::vector<int> job_ranks);  // a range if they are consecutive

  int size() const { return count_; }
  bool is_range() const { return members_.empty(); }
  // The job rank (the rank's number in the job) of member i, 0 <= i < size().
  int job_rank(int i) const { return is_range() ? first_ + i : members_[static_cast<std::size_t>(i)]; }
  // The rank in the group of a job rank, MPI_UNDEFINED for non-members. O(1) for ranges, O(log n) otherwise.
  int rank_of(int job_rank) const;
  // The smallest and the largest job rank. REQUIRES: there are members.
  int lowest() const { return is_range() ? first_ : by_job_rank_.front().first; }
  int highest() const { return is_range() ? first_ + count_ - 1 : by_job_rank_.back().first; }

  void pup(pup::Puper& p) { p | first_ | count_ | members_ | by_job_rank_; }

 private:
  int first_ = 0;
  int count_ = 0;
  std::vector<int> members_;                      // empty for a range
  std::vector<std::pair<int, int>> by_job_rank_;  // (job rank, rank in the group), sorted; empty for a range
};

// Whether both have the same members in the same order.
bool same_order(const Group& a, const Group& b);
// MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL.
int compare(const Group& a, const Group& b);

}  // namespace group
}  // namespace weft::mpi_shim
