#include "runtime/image/layout.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "runtime/image/huge_pages.hpp"

namespace weft::image {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Uses one mapping for neighbouring read-only segments with the same layout in the file as in memory. It includes the
// file's pages between them, which is harmless and saves two mappings per image and rank.
std::vector<TextMapping> text_mappings(const Image& image) {
  std::vector<TextMapping> mappings;
  bool joinable = false;
  for (const Segment& s : image.elf.segments) {
    if (s.writable) {
      joinable = false;
      continue;
    }
    const TextMapping own = {image.base + page_down(s.address), page_up(s.address + s.file_size) - page_down(s.address),
                             page_down(s.file_offset)};
    if (joinable && own.slot_offset - own.file_offset == mappings.back().slot_offset - mappings.back().file_offset) {
      mappings.back().bytes = own.slot_offset + own.bytes - mappings.back().slot_offset;
    } else {
      mappings.push_back(own);
    }
    joinable = true;
  }
  return mappings;
}

// Counts mappings from the slot's first byte to its last: each text, each stretch of memory between texts, guard, stack
// and heap. The control page and the previous slot's heap are one mapping.
std::uint64_t count_mappings(const std::vector<Image>& images, const Layout& layout) {
  std::uint64_t count = 2;  // guard; stack, heap and the next control page
  std::uint64_t end = layout.control_bytes;
  for (const Image& image : images) {
    for (const TextMapping& text : image.text) {
      count += (text.slot_offset > end ? 1 : 0) + 1;
      end = text.slot_offset + text.bytes;
    }
  }
  count += layout.guard > end ? 1 : 0;
  const bool is_large = layout.guard >= kLargeStatics;
  count += layout.executable_stack || is_large || huge_pages_are_automatic() ? 1 : 0;
  return count;
}

}  // namespace

Layout lay_out(std::vector<Image>& images, const LayoutOptions& options) {
  Layout layout;
  layout.control_bytes = page_up(options.control_bytes);
  std::uint64_t at = layout.control_bytes;
  for (Image& image : images) {
    image.base = round_up(at, image.elf.alignment);
    at = image.base + image.elf.span();
    image.text = text_mappings(image);
    layout.executable_stack = layout.executable_stack || image.elf.executable_stack;
  }
  layout.tls_begin = at;
  for (Image& image : images) {
    const ThreadLocal& tls = image.elf.tls;
    if (tls.memory_size != 0) {
      // The block has the same offset from an alignment boundary as the template, as its variables require.
      at = round_up(at, tls.alignment) + tls.address % tls.alignment;
      image.tls_block = at;
      at += tls.memory_size;
    }
  }
  layout.tls_end = at;
  layout.guard = page_up(at);
  layout.stack_low = layout.guard + kSmallestGuard;
  layout.stack_high = layout.stack_low + page_up(options.stack_bytes);
  layout.heap = layout.stack_high;
  layout.mappings_per_rank = count_mappings(images, layout);
  return layout;
}

void widen_guard(Layout& layout, std::uint64_t slot_size) {
  base::check(layout.heap + kSmallestHeap <= slot_size, "a slot that holds the layout");
  const std::uint64_t unused = slot_size - layout.heap - kSmallestHeap + (layout.stack_low - layout.guard);
  const std::uint64_t guard = std::max(kSmallestGuard, page_down(unused / 2));
  const std::uint64_t stack_bytes = layout.stack_high - layout.stack_low;
  layout.stack_low = layout.guard + guard;
  layout.stack_high = layout.stack_low + stack_bytes;
  layout.heap = layout.stack_high;
}

}  // namespace weft::image
