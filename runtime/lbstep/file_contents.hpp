// What a process has written of its ranks to a file of an image, and where. The next image in the same file copies only
// what has changed.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "runtime/lbstep/address_set.hpp"

namespace weft::runtime {
inline namespace lbstep {

// Where in the file a range of a rank's memory begins, if the preceding data ends at `offset`: at the same place in a
// block of 64 bytes, so that pages are copied in whole blocks.
std::uint64_t place_after(std::uint64_t offset, std::uint64_t address);

struct WrittenRange {
  AddressRange addresses;
  std::uint64_t offset = 0;         // in the file
  std::vector<std::uint32_t> sums;  // of each of its pages, the first and the last of which may be parts of pages
};

// The part of the file that belongs to one rank.
struct RankArea {
  std::uint64_t offset = 0;
  std::uint64_t room = 0;  // bytes
  std::vector<WrittenRange> ranges;
  AddressSet changed;    // since the ranges were written
  bool is_used = false;  // the image that is being written uses it
};

// Finds the checksums of parts of pages that are in the file and have not changed. Parts must be asked for in ascending
// order.
class UnchangedSums {
 public:
  explicit UnchangedSums(const RankArea& area) : ranges_(area.ranges), changed_(area.changed) {}
  // The checksum of a part that would be written at this offset. Null where the part must be written.
  const std::uint32_t* find(AddressRange part, std::uint64_t offset);

 private:
  std::span<const WrittenRange> ranges_;
  std::span<const AddressRange> changed_;
};

class FileContents {
 public:
  // `leaves_room`: reserves room for ranks that grow, so that their next image can use the same place.
  explicit FileContents(bool leaves_room) : leaves_room_(leaves_room) {}

  // Called before an image is written to the file, whose present length is `length`. If that differs from the length
  // given to end(), somebody has emptied the file.
  void begin(std::uint64_t length);
  // The area for a rank whose memory has so many bytes. If its former area does not fit, a new one without ranges.
  RankArea& place(std::uint32_t rank, std::uint64_t bytes);
  // The end of the last area.
  [[nodiscard]] std::uint64_t areas_end() const { return areas_end_; }
  // The image has been written, and the file has this length: ranks that are not in the image are forgotten. Without
  // this call the file's contents count as unknown.
  void end(std::uint64_t length);

  void note_changed(std::uint32_t rank, const AddressSet& pages);
  // All of the rank's memory may have changed.
  void forget(std::uint32_t rank);

 private:
  std::uint64_t take(std::uint64_t bytes);
  void give_back(const RankArea& area);
  std::uint64_t free_bytes() const;

  bool leaves_room_;
  std::uint64_t length_ = 0;
  std::uint64_t areas_end_ = 0;
  std::map<std::uint32_t, RankArea> areas_;      // by rank
  std::map<std::uint64_t, std::uint64_t> gaps_;  // bytes, by offset; no two gaps touch each other or the end
};

}  // namespace lbstep
}  // namespace weft::runtime
