// The checksum of checkpoints.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::runtime {
inline namespace lbstep {

// Bytes that are summed at a time: they stay in the cache between the sum and a copy.
constexpr std::size_t kChecksumPiece = std::size_t{256} << 10;

// Four CRC-32C (Castagnoli), which the processor computes, of every fourth word each: one alone would wait for itself.
// A file must be checked with the same pieces as it was written with.
class Checksum {
 public:
  void add(std::span<const std::byte> piece);
  // Copies it too, past the caches.
  void add_and_copy(std::span<const std::byte> piece, std::byte* into);
  std::uint32_t value() const;

 private:
  static constexpr std::uint64_t kStart = ~std::uint32_t{0};
  std::array<std::uint64_t, 4> lanes_{kStart, kStart, kStart, kStart};
};

std::uint32_t checksum(std::span<const std::byte> bytes);

}  // namespace lbstep
}  // namespace weft::runtime
