// The binomial tree of collective algorithms, and the order in which reductions combine values.
//
// All reductions combine along the same binary tree over rank numbers:
//   ((0 op 1) op (2 op 3)) op ((4 op 5) op (6 op 7)), and so on.
// Ranks that are missing at the end are skipped: of 7 ranks, 6 stands in place of (6 op 7). So every algorithm gives
// bit-identical results, on any number of workers and wherever ranks live. Prefixes (MPI_Scan, MPI_Exscan) are combined
// from left to right.
#pragma once

#include <algorithm>

namespace weft::mpi_shim::steps {

// A binomial tree over the members of a group. Every subtree is a range of members: member r's is [r, r + extent), and
// its children are r + 1, r + 2, r + 4, … If consecutive members share processes, few edges cross between processes.
class Tree {
 public:
  // `number` is the member's distance from the root: its rank minus the root's, modulo `size`.
  Tree(int number, int size) : number_(number), size_(size) {
    while (reach_ < size && (number & reach_) == 0) {
      reach_ *= 2;
    }
    extent_ = std::min(reach_, size - number);
  }
  template <typename Members>
  static Tree rooted(const Members& members, int root) {
    return {(members.rank() - root + members.size()) % members.size(), members.size()};
  }

  bool is_root() const { return number_ == 0; }
  int number() const { return number_; }
  int parent() const { return number_ & (number_ - 1); }
  int extent() const { return extent_; }  // of the subtree
  // For each child, the nearest first: its number and its subtree's extent.
  template <typename Visit>
  void up(Visit&& visit) const {
    for (int step = 1; step < reach_ && number_ + step < size_; step *= 2) {
      visit(number_ + step, std::min(step, size_ - number_ - step));
    }
  }
  // The farthest first.
  template <typename Visit>
  void down(Visit&& visit) const {
    for (int step = reach_ / 2; step > 0; step /= 2) {
      if (number_ + step < size_) {
        visit(number_ + step, std::min(step, size_ - number_ - step));
      }
    }
  }

 private:
  int number_;
  int size_;
  int reach_ = 1;
  int extent_ = 1;
};

}  // namespace weft::mpi_shim::steps
