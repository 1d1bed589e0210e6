// Where a message's bytes lie in a rank's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::runtime {
inline namespace p2p {

// How the elements of a non-contiguous message lie in memory; the layer above implements it. Constant after
// construction. The caller that gives a Layout to a message keeps it alive until the message is complete.
class Layout {
 public:
  virtual ~Layout() = default;
  // Packs `count` elements at `base`, and copies bytes [skip, skip + out.size()) of the result into `out`.
  virtual void pack(const void* base, std::size_t count, std::size_t skip, std::span<std::byte> out) const = 0;
  // The reverse: `in` is bytes [skip, skip + in.size()) of the packed message.
  virtual void unpack(void* base, std::size_t count, std::size_t skip, std::span<const std::byte> in) const = 0;
};

// `count` elements at `base`, `bytes` in all when packed; without a layout they are contiguous.
struct Buffer {
  void* base = nullptr;
  std::size_t bytes = 0;
  const Layout* layout = nullptr;
  std::size_t count = 0;
};

// Copies min(from.bytes, to.bytes) bytes of the packed message; each byte moves once unless both have a layout.
// Returns the number of bytes copied.
std::size_t transfer(const Buffer& from, const Buffer& to);
void pack(const Buffer& from, std::span<std::byte> out);              // out.size() <= from.bytes
std::size_t unpack(std::span<const std::byte> in, const Buffer& to);  // returns min(in.size(), to.bytes)

}  // namespace p2p
}  // namespace weft::runtime
