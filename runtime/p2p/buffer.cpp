#include "runtime/p2p/buffer.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace weft::runtime {
inline namespace p2p {
namespace {

std::byte* bytes_at(const Buffer& buffer) { return static_cast<std::byte*>(buffer.base); }

// Both sides have gaps: copies through a buffer that stays in the first-level cache and fits a small stack.
std::size_t transfer_in_pieces(const Buffer& from, const Buffer& to, std::size_t n) {
  std::array<std::byte, 4096> piece;
  for (std::size_t done = 0; done < n;) {
    const std::span<std::byte> part(piece.data(), std::min(piece.size(), n - done));
    from.layout->pack(from.base, from.count, done, part);
    to.layout->unpack(to.base, to.count, done, part);
    done += part.size();
  }
  return n;
}

}  // namespace

std::size_t transfer(const Buffer& from, const Buffer& to) {
  const std::size_t n = std::min(from.bytes, to.bytes);
  if (n == 0) {
    return 0;
  }
  if (from.layout == nullptr) {
    return unpack({bytes_at(from), n}, to);
  }
  if (to.layout == nullptr) {
    pack(from, {bytes_at(to), n});
    return n;
  }
  return transfer_in_pieces(from, to, n);
}

void pack(const Buffer& from, std::span<std::byte> out) {
  if (from.layout != nullptr) {
    from.layout->pack(from.base, from.count, 0, out);
  } else if (!out.empty()) {
    std::memcpy(out.data(), from.base, out.size());
  }
}

std::size_t unpack(std::span<const std::byte> in, const Buffer& to) {
  const std::size_t n = std::min(in.size(), to.bytes);
  if (to.layout != nullptr) {
    to.layout->unpack(to.base, to.count, 0, in.first(n));
  } else if (n != 0 && to.base != in.data()) {
    std::memmove(to.base, in.data(), n);
  }
  return n;
}

}  // namespace p2p
}  // namespace weft::runtime
