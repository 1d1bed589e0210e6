// The checksum of checkpoints and recordings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace weft::base {

// Bytes that are processed at a time: they stay in the cache between summing and copying.
constexpr std::size_t kChecksumPiece = std::size_t{256} << 10;

// Four interleaved CRC-32C (Castagnoli), computed by the processor, each over every fourth word: a single one would be
// limited by its latency. The value depends on how the bytes are divided into pieces: whoever checks a file must use
// the pieces with which it was written.
class Checksum {
 public:
  void add(std::span<const std::byte> piece);
  // Also copies the piece, bypassing the caches: other threads see it after copies_are_done().
  void add_and_copy(std::span<const std::byte> piece, std::byte* into);
  static void copies_are_done();
  std::uint32_t value() const;

 private:
  static constexpr std::uint64_t kStart = ~std::uint32_t{0};
  std::array<std::uint64_t, 4> lanes_{kStart, kStart, kStart, kStart};
};

std::uint32_t checksum(std::span<const std::byte> bytes);
// That of a file, in pieces of kChecksumPiece. None if the file cannot be read.
std::optional<std::uint32_t> checksum_of_file(const std::string& file);

}  // namespace weft::base
