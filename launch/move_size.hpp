// How many bytes a rank would take to another process, which is counted anew now and then.
#pragma once

#include <cstdint>

namespace weft::launch {

// Owned by the rank's process; the rank itself asks.
class MoveSize {
 public:
  // Asked at each balancing step, at `now` (ticks): whether counted() is to be called.
  bool count_is_due(std::uint64_t now) { return asked_++ % kBetweenCounts == 0 && now >= not_before_; }
  // `begin` and `end`: ticks between which `bytes` were counted.
  void counted(std::uint64_t bytes, std::uint64_t begin, std::uint64_t end) {
    bytes_ = bytes;
    not_before_ = end + kPause * (end - begin);
  }
  // As they were last counted.
  std::uint64_t bytes() const { return bytes_; }

 private:
  // To count takes microseconds for each megabyte, and milliseconds where there are huge pages with zeros in them.
  static constexpr std::uint32_t kBetweenCounts = 16;
  static constexpr std::uint64_t kPause = 500;  // times as long as the last count took

  std::uint64_t bytes_ = 0;
  std::uint32_t asked_ = 0;
  std::uint64_t not_before_ = 0;
};

}  // namespace weft::launch
