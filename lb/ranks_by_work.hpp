// The movable ranks of a worker sorted by work, with a fast search for the largest rank that fits while ranks are
// removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "lb/strategy.hpp"

namespace weft::lb {

// Ranks without work are not included, since moving them changes nothing.
class RanksByWork {
 public:
  struct Entry {
    double work;
    std::uint32_t rank;  // index in the instance
  };
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  void add(double work, std::uint32_t rank) { entries_.push_back({work, rank}); }
  void sort();     // after the last add()
  void restore();  // undoes all removals

  [[nodiscard]] std::size_t size() const { return entries_.size(); }  // with removed ranks
  [[nodiscard]] const Entry& operator[](std::size_t position) const { return entries_[position]; }
  // These return positions; kNone if no such rank is left.
  [[nodiscard]] std::size_t largest_up_to(double work);
  [[nodiscard]] std::size_t smallest_from(double work);
  [[nodiscard]] std::size_t smallest() { return smallest_from(0.0); }
  void remove(std::size_t position);

 private:
  // Follows links over removed ranks and shortens them (path compression). right_[i] is i while rank i is not removed.
  static std::size_t find(std::vector<std::uint32_t>& links, std::size_t position);

  std::vector<Entry> entries_;        // largest first
  std::vector<std::uint32_t> right_;  // by position, to smaller ones; the last is the end
  std::vector<std::uint32_t> left_;   // by position + 1, to larger ones; 0 is the end
};

// By worker; filled and sorted for the workers whose element of `workers` is true.
std::vector<RanksByWork> ranks_by_work(const Instance& instance, const std::vector<bool>& workers);

}  // namespace weft::lb
