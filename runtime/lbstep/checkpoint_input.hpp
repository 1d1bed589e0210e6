// Reads a file of a checkpoint, on a disk or in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weft::runtime {
inline namespace lbstep {

// Functions throw std::runtime_error with the file's name.
class CheckpointInput {
 public:
  CheckpointInput(std::string path, bool in_memory);
  ~CheckpointInput();
  CheckpointInput(const CheckpointInput&) = delete;
  CheckpointInput& operator=(const CheckpointInput&) = delete;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  void read(std::span<std::byte> into, std::uint64_t offset) const;
  // Also appends the checksum of each page to `sums`: see for_each_page().
  void read(std::span<std::byte> into, std::uint64_t offset, std::vector<std::uint32_t>& sums) const;

 private:
  std::string path_;
  int descriptor_;
  std::uint64_t size_ = 0;
  std::span<const std::byte> mapped_;  // the whole file if it is in memory and can be mapped: one pass copies and sums
};

}  // namespace lbstep
}  // namespace weft::runtime
