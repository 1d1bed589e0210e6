// How many bytes a rank would take to another process; counted again from time to time.
#pragma once

#include <cstdint>

namespace weft::launch {

// Owned by the rank's process; used by the rank itself.
class MoveSize {
 public:
  // To be called at each balancing step, with the time in ticks: whether record_count() must be called now.
  bool count_is_due(std::uint64_t now) { return calls_++ % kBetweenCounts == 0 && now >= not_before_; }
  // `begin` and `end`: ticks between which `bytes` were counted.
  void record_count(std::uint64_t bytes, std::uint64_t begin, std::uint64_t end) {
    bytes_ = bytes;
    not_before_ = end + kPauseFactor * (end - begin);
  }
  // The result of the last count.
  std::uint64_t bytes() const { return bytes_; }

 private:
  // Counting takes microseconds for each megabyte, and milliseconds where there are huge pages with zeros in them.
  static constexpr std::uint32_t kBetweenCounts = 16;
  static constexpr std::uint64_t kPauseFactor = 500;  // pause after a count, in units of the time that it took

  std::uint64_t bytes_ = 0;
  std::uint32_t calls_ = 0;
  std::uint64_t not_before_ = 0;
};

}  // namespace weft::launch
