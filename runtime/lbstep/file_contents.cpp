#include "runtime/lbstep/file_contents.hpp"

#include <algorithm>
#include <utility>

#include "base/page_map.hpp"

namespace weft::runtime {
inline namespace lbstep {
namespace {

using base::kPageBytes;

constexpr std::uint64_t kPlacement = 64;
constexpr std::uint64_t kRoomToGrow = 16;  // one part in so many more than what is needed

std::uint64_t page_begin(std::uint64_t address) { return address & ~(kPageBytes - 1); }
std::uint64_t page_end(std::uint64_t address) { return page_begin(address + kPageBytes - 1); }

}  // namespace

std::uint64_t place_after(std::uint64_t offset, std::uint64_t address) {
  return offset + (address - offset) % kPlacement;
}

UnchangedSums::UnchangedSums(const RankArea& area, AddressRange range, std::uint64_t offset)
    : ranges_(area.ranges), changed_(area.changed), shift_(offset - range.begin) {}

const std::uint32_t* UnchangedSums::find(AddressRange part) {
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
  const std::uint64_t page = page_begin(part.begin);
  const AddressRange written{std::max(page, its.addresses.begin), std::min(page + kPageBytes, its.addresses.end)};
  if (written != part || its.offset - its.addresses.begin != shift_) {
    return nullptr;
  }
  return &its.sums[(page - page_begin(its.addresses.begin)) / kPageBytes];
}

void FileContents::begin(std::uint64_t length) {
  const std::uint64_t had = std::exchange(length_, 0);
  if (had == 0 || had != length || 2 * free_bytes() > areas_end_) {
    areas_.clear();
    free_.clear();
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
      free_.push_back({area.second.offset, area.second.room});
    }
    return !area.second.is_used;
  });
}

RankArea& FileContents::place(std::uint32_t rank, std::uint64_t bytes) {
  RankArea& area = areas_[rank];
  area.is_used = true;
  if (bytes <= area.room) {
    return area;
  }
  if (area.room != 0) {
    free_.push_back({area.offset, area.room});
  }
  area.room = page_end(bytes + (leaves_room_ ? bytes / kRoomToGrow : 0));
  area.offset = take_free(area.room);
  area.ranges.clear();
  return area;
}

// Of a gap that is long enough, else at the end.
std::uint64_t FileContents::take_free(std::uint64_t bytes) {
  const auto found = std::ranges::find_if(free_, [&](const Gap& gap) { return gap.bytes >= bytes; });
  if (found == free_.end()) {
    return std::exchange(areas_end_, areas_end_ + bytes);
  }
  const std::uint64_t offset = found->offset;
  found->offset += bytes;
  found->bytes -= bytes;
  if (found->bytes == 0) {
    free_.erase(found);
  }
  return offset;
}

std::uint64_t FileContents::free_bytes() const {
  std::uint64_t bytes = 0;
  for (const Gap& gap : free_) {
    bytes += gap.bytes;
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
