#include "base/checksum.hpp"

#include <emmintrin.h>
#include <nmmintrin.h>

#include <cstring>
#include <fstream>
#include <vector>

namespace weft::base {
namespace {

using Lanes = std::array<std::uint64_t, 4>;
constexpr std::size_t kBlock = sizeof(Lanes);

// Calls `each(block)` for every whole block after summing it.
template <typename Each>
[[gnu::target("sse4.2"), gnu::always_inline]] inline Lanes sum(Lanes lanes, std::span<const std::byte> piece,
                                                               const Each& each) {
  Lanes words;
  for (; piece.size() >= kBlock; piece = piece.subspan(kBlock)) {
    std::memcpy(words.data(), piece.data(), kBlock);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      lanes[lane] = _mm_crc32_u64(lanes[lane], words[lane]);
    }
    each(words);
  }
  for (const std::byte rest : piece) {
    lanes[0] = _mm_crc32_u8(static_cast<std::uint32_t>(lanes[0]), static_cast<unsigned char>(rest));
  }
  return lanes;
}

}  // namespace

[[gnu::target("sse4.2")]] void Checksum::add(std::span<const std::byte> piece) {
  lanes_ = sum(lanes_, piece, [](const Lanes&) {});
}

[[gnu::target("sse4.2")]] void Checksum::add_and_copy(std::span<const std::byte> piece, std::byte* into) {
  if (reinterpret_cast<std::uintptr_t>(into) % sizeof(__m128i) != 0) {
    std::memcpy(into, piece.data(), piece.size());
    add(piece);
    return;
  }
  auto* to = reinterpret_cast<__m128i*>(into);
  lanes_ = sum(lanes_, piece, [&](const Lanes& words) {
    const auto* const from = reinterpret_cast<const __m128i*>(words.data());
    _mm_stream_si128(to++, _mm_loadu_si128(from));
    _mm_stream_si128(to++, _mm_loadu_si128(from + 1));
  });
  const std::size_t rest = piece.size() % kBlock;
  std::memcpy(to, piece.last(rest).data(), rest);
}

void Checksum::copies_are_done() { _mm_sfence(); }

[[gnu::target("sse4.2")]] std::uint32_t Checksum::value() const {
  std::uint64_t crc = ~std::uint32_t{0};
  for (const std::uint64_t lane : lanes_) {
    crc = _mm_crc32_u64(crc, lane);
  }
  return ~static_cast<std::uint32_t>(crc);
}

std::uint32_t checksum(std::span<const std::byte> bytes) {
  Checksum sum;
  sum.add(bytes);
  return sum.value();
}

std::optional<std::uint32_t> checksum_of_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<char> piece(kChecksumPiece);
  Checksum sum;
  while (in) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    sum.add(std::as_bytes(std::span(piece.data(), static_cast<std::size_t>(in.gcount()))));
  }
  return in.eof() ? std::optional(sum.value()) : std::nullopt;
}

}  // namespace weft::base
