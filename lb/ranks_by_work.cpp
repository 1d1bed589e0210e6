#include "lb/ranks_by_work.hpp"

#include <algorithm>
#include <numeric>

#include "lb/loads.hpp"

namespace weft::lb {

void RanksByWork::sort() {
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return a.work != b.work ? a.work > b.work : a.rank < b.rank; });
  right_.resize(entries_.size() + 1);
  left_.resize(entries_.size() + 1);
  restore();
}

void RanksByWork::restore() {
  std::iota(right_.begin(), right_.end(), 0U);
  std::iota(left_.begin(), left_.end(), 0U);
}

std::size_t RanksByWork::find(std::vector<std::uint32_t>& links, std::size_t position) {
  while (links[position] != position) {
    links[position] = links[links[position]];
    position = links[position];
  }
  return position;
}

std::size_t RanksByWork::largest_up_to(double work) {
  const auto first =
      std::partition_point(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.work > work; });
  const std::size_t position = find(right_, static_cast<std::size_t>(first - entries_.begin()));
  return position == entries_.size() ? kNone : position;
}

std::size_t RanksByWork::smallest_from(double work) {
  const auto end =
      std::partition_point(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.work >= work; });
  const std::size_t position = find(left_, static_cast<std::size_t>(end - entries_.begin()));
  return position == 0 ? kNone : position - 1;
}

void RanksByWork::remove(std::size_t position) {
  right_[position] = static_cast<std::uint32_t>(position + 1);
  left_[position + 1] = static_cast<std::uint32_t>(position);
}

std::vector<RanksByWork> ranks_by_work(const Instance& instance, const std::vector<bool>& workers) {
  std::vector<RanksByWork> result(instance.workers.size());
  for (std::size_t i = 0; i < instance.ranks.size(); ++i) {
    const RankLoad& rank = instance.ranks[i];
    if (rank.may_move && rank.seconds > 0.0 && workers[number(rank.home)]) {
      result[number(rank.home)].add(work_of(instance, rank), static_cast<std::uint32_t>(i));
    }
  }
  for (std::size_t worker = 0; worker < result.size(); ++worker) {
    if (workers[worker]) {
      result[worker].sort();
    }
  }
  return result;
}

}  // namespace weft::lb
