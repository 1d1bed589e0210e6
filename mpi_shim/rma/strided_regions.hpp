// The layout of an operation's bytes in the target's memory, in a form that can be sent: blocks at equal distances.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "mpi_shim/datatype/datatype.hpp"

namespace weft::mpi_shim::rma {

// `count` blocks of `bytes` bytes, `stride` apart; the first is `offset` bytes from the operation's address.
struct StridedRegion {
  std::int64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint64_t count = 1;
  std::int64_t stride = 0;
};

// A list of at most `most` regions, in the order of the packed bytes.
class RegionList {
 public:
  explicit RegionList(std::size_t most) : most_(most) {}
  // False, without effect, if the list is full.
  bool add(const StridedRegion& region);
  void clear() { list_.clear(); }
  std::span<const StridedRegion> list() const { return list_; }
  bool one_block() const { return list_.size() == 1 && list_[0].count == 1; }

 private:
  bool merge(const StridedRegion& region);
  const std::size_t most_;
  std::vector<StridedRegion> list_;
};

// Fills the list with the blocks of packed bytes [skip, skip + length) of elements of `type`, as many as fit. Returns
// their number of bytes, a multiple of `unit`. REQUIRES: `unit` divides skip and length.
std::size_t collect(const Datatype& type, std::size_t skip, std::size_t length, std::size_t unit, RegionList& regions);

// Calls visit(address, bytes) for each block.
template <typename Visit>
void for_each_block(std::span<const StridedRegion> regions, std::byte* address, Visit&& visit) {
  for (const StridedRegion& region : regions) {
    std::byte* at = address + region.offset;
    for (std::uint64_t i = 0; i < region.count; ++i) {
      visit(at, static_cast<std::size_t>(region.bytes));
      at += region.stride;
    }
  }
}

// Copies the blocks to packed bytes, and packed bytes to the blocks.
void gather(std::span<const StridedRegion> regions, const std::byte* address, std::byte* packed);
void scatter(std::span<const StridedRegion> regions, std::byte* address, const std::byte* packed);

}  // namespace weft::mpi_shim::rma
