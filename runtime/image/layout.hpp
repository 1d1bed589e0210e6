// The layout of a rank's slot: the same offsets in every slot of every process.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/image/elf_file.hpp"

namespace weft::image {

struct TextMapping {  // one read-only mapping of an image's file
  std::uint64_t slot_offset, bytes, file_offset;
};

struct Image {
  ElfFile elf;
  std::uint64_t base = 0;       // slot offset of the file's address zero
  std::uint64_t tls_block = 0;  // slot offset of the rank's thread-local block of this image
  std::vector<TextMapping> text;
  // For a plugin or a library that only plugins need: the images, by number, that its references search after the
  // program's images, itself first. Empty for all others, whose symbols all images see.
  std::vector<std::uint32_t> local_scope;
};

struct LayoutOptions {
  std::uint64_t control_bytes = kPage;     // at the slot's first byte, for the host
  std::uint64_t stack_bytes = 1ull << 20;  // rounded up to pages
};

// The smallest stack guard.
constexpr std::uint64_t kSmallestGuard = std::uint64_t{64} << 10;
// The smallest space behind the stack.
constexpr std::uint64_t kSmallestHeap = std::uint64_t{64} << 10;

// [control | images | thread-local blocks | guard | stack | heap … end of the slot]
struct Layout {
  std::uint64_t control_bytes = 0;
  std::uint64_t tls_begin = 0, tls_end = 0;
  std::uint64_t guard = 0;  // from here to stack_low any access faults
  std::uint64_t stack_low = 0, stack_high = 0;
  std::uint64_t heap = 0;
  bool executable_stack = false;

  // Memory mappings that one rank costs if neighbouring slots are in use.
  std::uint64_t mappings_per_rank = 0;
};

// Assigns offsets and mappings to every image. The guard is kSmallestGuard.
Layout lay_out(std::vector<Image>& images, const LayoutOptions& options);

// Moves stack and heap up, so that the guard gets half of the addresses that a slot of this size leaves unused. Reason:
// a frame with one large array moves the stack pointer by the whole array at once, and would jump over a small guard
// into the rank's own globals. Costs addresses only, no memory and no mapping. REQUIRES: the layout fits.
void widen_guard(Layout& layout, std::uint64_t slot_size);

}  // namespace weft::image
