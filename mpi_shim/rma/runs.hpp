// Where the bytes of an operation lie in the target's memory, in a form that can be sent: blocks at equal distances.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "mpi_shim/datatype/datatype.hpp"

namespace weft::mpi_shim::rma {

// `count` blocks of `bytes`, `stride` apart, the first one `offset` from the operation's address.
struct Run {
  std::int64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t count = 1;
  std::int64_t stride = 0;
};

// At most `most` runs, in the order of the packed bytes.
class Runs {
 public:
  explicit Runs(std::size_t most) : most_(most) {}
  // False, and nothing is added, when there is no room.
  bool add(const Run& run);
  void clear() { list_.clear(); }
  std::span<const Run> list() const { return list_; }
  bool one_block() const { return list_.size() == 1 && list_[0].count == 1; }

 private:
  bool merge(const Run& run);
  const std::size_t most_;
  std::vector<Run> list_;
};

// The blocks of packed bytes [skip, skip + length) of elements of `type`, as many as find room; of how many bytes they
// are, a multiple of `unit`, which divides skip and length.
std::size_t collect(const Datatype& type, std::size_t skip, std::size_t length, std::size_t unit, Runs& runs);

// Calls visit(block's address, its bytes) for each block.
template <typename Visit>
void for_each_block(std::span<const Run> runs, std::byte* address, Visit&& visit) {
  for (const Run& run : runs) {
    std::byte* at = address + run.offset;
    for (std::uint64_t i = 0; i < run.count; ++i) {
      visit(at, static_cast<std::size_t>(run.bytes));
      at += run.stride;
    }
  }
}

// Copies between packed bytes and memory.
void gather(std::span<const Run> runs, const std::byte* address, std::byte* packed);
void scatter(std::span<const Run> runs, std::byte* address, const std::byte* packed);

}  // namespace weft::mpi_shim::rma
