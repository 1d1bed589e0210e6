// What of its ranks a process has written to a file of an image, and where to. The next image in the same file copies
// only what has changed.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "runtime/lbstep/address_set.hpp"

namespace weft::runtime {
inline namespace lbstep {

// A range of a rank's memory begins there in the file, where what comes before ends at `offset`: at the same place in a
// block of 64 bytes, so that pages are copied in whole blocks.
std::uint64_t place_after(std::uint64_t offset, std::uint64_t address);

struct WrittenRange {
  AddressRange addresses;
  std::uint64_t offset = 0;         // in the file
  std::vector<std::uint32_t> sums;  // of each of its pages, the first and the last of which may be parts of pages
};

// The part of the file that one rank has.
struct RankArea {
  std::uint64_t offset = 0;
  std::uint64_t room = 0;  // bytes
  std::vector<WrittenRange> ranges;
  AddressSet changed;    // since they were written
  bool is_used = false;  // by the image that is being written
};

// The sums of parts of pages that are in the file and have not changed, for ascending parts.
class UnchangedSums {
 public:
  explicit UnchangedSums(const RankArea& area) : ranges_(area.ranges), changed_(area.changed) {}
  // Of a part that would be at this place in the file. Null where it must be written.
  const std::uint32_t* find(AddressRange part, std::uint64_t offset);

 private:
  std::span<const WrittenRange> ranges_;
  std::span<const AddressRange> changed_;
};

class FileContents {
 public:
  // With room for ranks that grow, an image of them is at the same place again.
  explicit FileContents(bool leaves_room) : leaves_room_(leaves_room) {}

  // Before an image is written to the file, which is so long now. Another length than it was given says that somebody
  // has emptied it.
  void begin(std::uint64_t length);
  RankArea& place(std::uint32_t rank, std::uint64_t bytes);
  // Where the last area ends.
  [[nodiscard]] std::uint64_t areas_end() const { return areas_end_; }
  // The image is written, and the file so long: ranks that are not in it are forgotten. Without this nothing in it
  // counts.
  void end(std::uint64_t length);

  void note_changed(std::uint32_t rank, const AddressSet& pages);
  // All of the rank may have changed.
  void forget(std::uint32_t rank);

 private:
  std::uint64_t take(std::uint64_t bytes);
  void give_back(const RankArea& area);
  std::uint64_t free_bytes() const;

  bool leaves_room_;
  std::uint64_t length_ = 0;
  std::uint64_t areas_end_ = 0;
  std::map<std::uint32_t, RankArea> areas_;      // by rank
  std::map<std::uint64_t, std::uint64_t> gaps_;  // bytes, by offset; none touch each other or the end
};

}  // namespace lbstep
}  // namespace weft::runtime
