#include "runtime/lbstep/file_contents.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/pages.hpp"

namespace weft::runtime {
inline namespace lbstep {
namespace {

using base::kPageBytes;
using base::page_down;
using base::page_up;

constexpr std::uint64_t kPlacement = 64;
constexpr std::uint64_t kRoomToGrow = 16;  // one part in this many more than needed
constexpr std::uint64_t kMostFree = 4;     // one part in this many; if more is free, all ranks get new places

}  // namespace

std::uint64_t place_after(std::uint64_t offset, std::uint64_t address) {
  return offset + (address - offset) % kPlacement;
}

const std::uint32_t* UnchangedSums::find(AddressRange part, std::uint64_t offset) {
  while (!ranges_.empty() && ranges_.front().addresses.end <= part.begin) {
    ranges_ = ranges_.subspan(1);
  }
  while (!changed_.empty() && changed_.front().end <= part.begin) {
    changed_ = changed_.subspan(1);
  }
  if (ranges_.empty() || (!changed_.empty() && changed_.front().begin < part.end)) {
    return nullptr;
  }
  const WrittenRange& its = ranges_.front();
  const std::uint64_t page = page_down(part.begin);
  const AddressRange written{std::max(page, its.addresses.begin), std::min(page + kPageBytes, its.addresses.end)};
  if (written != part || its.offset - its.addresses.begin != offset - part.begin) {
    return nullptr;
  }
  return &its.sums[(page - page_down(its.addresses.begin)) / kPageBytes];
}

void FileContents::begin(std::uint64_t length) {
  const std::uint64_t had = std::exchange(length_, 0);
  if (had == 0 || had != length || free_bytes() > areas_end_ / kMostFree) {
    areas_.clear();
    gaps_.clear();
    areas_end_ = 0;
  }
  for (auto& [rank, area] : areas_) {
    area.is_used = false;
  }
}

void FileContents::end(std::uint64_t length) {
  length_ = length;
  std::erase_if(areas_, [&](const auto& area) {
    if (!area.second.is_used) {
      give_back(area.second);
    }
    return !area.second.is_used;
  });
}

RankArea& FileContents::place(std::uint32_t rank, std::uint64_t bytes) {
  RankArea& area = areas_[rank];
  if (bytes > area.room || page_up(bytes) < area.room / 2) {
    give_back(area);
    area = RankArea();
    area.room = page_up(bytes + (leaves_room_ ? bytes / kRoomToGrow : 0));
    area.offset = take(area.room);
  }
  area.is_used = true;
  return area;
}

// Allocates the first gap that is long enough, else at the end.
std::uint64_t FileContents::take(std::uint64_t bytes) {
  const auto found = std::ranges::find_if(gaps_, [&](const auto& gap) { return gap.second >= bytes; });
  if (found == gaps_.end()) {
    return std::exchange(areas_end_, areas_end_ + bytes);
  }
  const auto [offset, had] = *found;
  gaps_.erase(found);
  if (had > bytes) {
    gaps_[offset + bytes] = had - bytes;
  }
  return offset;
}

// Frees an area, and merges it with neighbouring gaps.
void FileContents::give_back(const RankArea& area) {
  if (area.room == 0) {
    return;
  }
  auto gap = gaps_.emplace(area.offset, area.room).first;
  if (const auto next = std::next(gap); next != gaps_.end() && gap->first + gap->second == next->first) {
    gap->second += next->second;
    gaps_.erase(next);
  }
  if (gap != gaps_.begin()) {
    if (const auto before = std::prev(gap); before->first + before->second == gap->first) {
      before->second += gap->second;
      gaps_.erase(gap);
      gap = before;
    }
  }
  if (gap->first + gap->second == areas_end_) {
    areas_end_ = gap->first;
    gaps_.erase(gap);
  }
}

std::uint64_t FileContents::free_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [offset, size] : gaps_) {
    bytes += size;
  }
  return bytes;
}

void FileContents::note_changed(std::uint32_t rank, const AddressSet& pages) {
  if (const auto found = areas_.find(rank); found != areas_.end()) {
    found->second.changed = united(found->second.changed, pages);
  }
}

void FileContents::forget(std::uint32_t rank) {
  if (const auto found = areas_.find(rank); found != areas_.end()) {
    found->second.ranges.clear();
  }
}

}  // namespace lbstep
}  // namespace weft::runtime
