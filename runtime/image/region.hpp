// The address range that holds the slots of all ranks, the same in every process of a job.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace weft::image {

class Program;

using Slot = std::span<std::byte>;  // one rank's address range

struct RegionOptions {
  // Unused under every address layout of Linux x86-64: default, legacy, unlimited stack, no randomisation. Valgrind
  // needs a small and low range (0x10000000000, 16 GiB).
  std::uint64_t base = 0x400000000000;
  std::uint64_t size = std::uint64_t{20} << 40;
};

// Reserves the addresses while the object lives. Constant after construction, except which program is in which slot.
class Region {
 public:
  // Reserves the range for this many ranks; touches no memory. Throws LoadError, which names the mapping that occupies
  // the range, or the limit or tool that forbids it.
  explicit Region(std::uint32_t ranks, const RegionOptions& options = {});
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  std::byte* begin() const { return begin_; }
  std::uint64_t size() const { return size_; }
  std::uint32_t rank_count() const { return ranks_; }
  // 17 pages less than the largest power of two that fits rank_count() times into size().
  std::uint64_t slot_size() const { return slot_size_; }

  Slot slot(std::uint32_t rank) const;
  // The rank whose slot holds the address, if any.
  std::optional<std::uint32_t> rank_at(const void* address) const;

  // The program in a slot; null: the published one. `slot` is taken modulo the number of slots, since it may come from
  // an invalid address. Safe in a signal handler.
  const Program* program_in(std::uint64_t slot) const noexcept {
    // Pairs with set_program(): the program is complete before it is found here.
    return programs_[slot % ranks_].load(std::memory_order_acquire);
  }
  // Call it before anything is placed there, and once nothing is there any more. Pairs with program_in().
  void set_program(std::uint32_t slot, const Program* program) const {
    programs_[slot].store(program, std::memory_order_release);
  }

 private:
  std::unique_ptr<std::atomic<const Program*>[]> programs_;  // by slot
  std::byte* begin_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t slot_size_ = 0;
  std::uint32_t ranks_ = 0;
};

}  // namespace weft::image
