// Fills and clears the slot of one rank.
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "base/check.hpp"
#include "runtime/image/capacity.hpp"
#include "runtime/image/huge_pages.hpp"
#include "runtime/image/load_error.hpp"
#include "runtime/image/program.hpp"

namespace weft::image {
namespace {

// Explains ENOMEM. A rank's slot is mapped as a whole, so all its addresses count as data.
std::string remedy() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    return "; the limit on data is " + std::to_string(limit.rlim_cur >> 10) +
           " KiB, and all addresses of the ranks count against it: lift it (ulimit -d unlimited) or reserve less "
           "(--region-size)";
  }
  int overcommit = 0;
  if (std::ifstream("/proc/sys/vm/overcommit_memory") >> overcommit && overcommit == 2) {
    return "; vm.overcommit_memory is 2, and all addresses of the ranks count as used: set it to 0 (sysctl "
           "vm.overcommit_memory=0) or reserve less (--region-size)";
  }
  const Capacity mappings = capacity(1);
  return "; this process has " + std::to_string(mappings.used) + " memory mappings and vm.max_map_count is " +
         std::to_string(mappings.limit) + ": raise it or use more processes (weftrun --processes)";
}

[[noreturn]] void refuse(std::string_view what) {
  const int error = errno;
  throw LoadError("cannot map " + std::string(what) + " of a rank: " + std::strerror(error) +
                  (error == ENOMEM ? remedy() : ""));
}

// Bytes just below a suspended rank's stack pointer that may still be read when it wakes.
constexpr std::uint64_t kBelowStackPointer = 256;

constexpr std::uint64_t kAssumedHeap = std::uint64_t{64} << 20;  // what a core file gets if the heap's top is unknown

}  // namespace

void Program::map_memory(Slot slot) const {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  if (mmap(slot.data(), slot.size(), PROT_READ | PROT_WRITE, kFlags, -1, 0) == MAP_FAILED) {
    refuse("the memory");
  }
  if (mprotect(slot.data() + layout_.guard, layout_.stack_low - layout_.guard, PROT_NONE) != 0) {
    refuse("the guard page");
  }
  const std::span<std::byte> stack_bytes = stack(slot);
  if (layout_.executable_stack &&
      mprotect(stack_bytes.data(), stack_bytes.size(), PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
    refuse("the executable stack");
  }
  // The heap requests huge pages itself as it grows.
  const bool is_large = layout_.guard >= kLargeStatics;
  if (is_large) {
    madvise(slot.data(), layout_.guard, MADV_HUGEPAGE);
  }
  if (huge_pages_are_automatic()) {
    const std::uint64_t small = is_large ? layout_.guard : 0;
    madvise(slot.data() + small, layout_.stack_high - small, MADV_NOHUGEPAGE);
  }
}

void Program::map_text(Slot slot) const {
  for (const Image& image : images_) {
    image.elf.file->check_unchanged();
    for (const TextMapping& text : image.text) {
      if (mmap(slot.data() + text.slot_offset, text.bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
               image.elf.file->descriptor(), static_cast<off_t>(text.file_offset)) == MAP_FAILED) {
        refuse("the text");
      }
    }
  }
}

void Program::place_text(Slot slot) const {
  base::check(slot.size() > layout_.heap, "a slot that holds the program");
  map_memory(slot);
  map_text(slot);
}

void Program::place(Slot slot, const RankInfo& info) const {
  place_text(slot);
  for (const Template::Piece& piece : template_.pieces) {
    if (!piece.bytes.empty()) {
      std::memcpy(slot.data() + piece.slot_offset, piece.bytes.data(), piece.bytes.size());
    }
  }
  const auto slot_address = reinterpret_cast<std::uint64_t>(slot.data());
  for (const std::uint64_t offset : template_.add_slot) {
    std::uint64_t word = 0;
    std::memcpy(&word, slot.data() + offset, sizeof word);
    word += slot_address;
    std::memcpy(slot.data() + offset, &word, sizeof word);
  }
  for (const IndirectWord& indirect : template_.indirect) {
    const std::uint64_t word =
        function_at<std::uint64_t()>(slot, indirect.resolver)() + static_cast<std::uint64_t>(indirect.addend);
    std::memcpy(slot.data() + indirect.word, &word, sizeof word);
  }
  // After relocation: initial values may hold addresses.
  for (const Image& image : images_) {
    if (image.elf.tls.file_size != 0) {
      std::memcpy(slot.data() + image.tls_block, slot.data() + image.base + image.elf.tls.address,
                  image.elf.tls.file_size);
    }
  }
  fill_info(slot, info);
}

void Program::fill_info(Slot slot, const RankInfo& info) const {
  if (!shim_) {
    return;
  }
  base::check(region_ != nullptr, "publish() before place()");
  WeftShimInfo& to = shim_->info(slot);
  const std::span<std::byte> heap_bytes = heap(slot);
  const std::span<std::byte> stack_bytes = stack(slot);
  const auto text = [](std::byte* address) { return reinterpret_cast<char*>(address); };
  to.slot = text(slot.data());
  to.slot_size = slot.size();
  to.region = text(region_->begin());
  to.region_size = region_->size();
  to.rank = info.rank;
  to.rank_count = info.rank_count;
  to.process = ::getpid();
  to.heap = text(heap_bytes.data());
  to.heap_size = heap_bytes.size();
  to.stack_low = text(stack_bytes.data());
  to.stack_size = stack_bytes.size();
  to.images = shim_images_.data();
  to.image_count = static_cast<int>(shim_images_.size());
  to.host = info.host;  // the rank's own fields about its threads stay unchanged
}

void Program::attach(Slot slot, const RankInfo& info) const {
  fill_info(slot, info);
  if (shim_) {
    shim_->arrived(slot);
  }
}

void Program::release(Slot slot) const {
#if defined(__SANITIZE_ADDRESS__)
  // The rank's last frames leave red zones, where the next program may have its heap.
  __asan_unpoison_memory_region(stack(slot).data(), stack(slot).size());
#endif
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  if (mmap(slot.data(), slot.size(), PROT_NONE, kFlags, -1, 0) == MAP_FAILED) {
    refuse("the empty slot");
  }
}

std::vector<ByteRange> Program::ranges(Slot slot, const void* stack_pointer) const {
  std::vector<ByteRange> ranges = {{0, layout_.control_bytes}};
  for (const Image& image : images_) {
    for (const Segment& s : image.elf.segments) {
      if (s.writable) {
        ranges.push_back({image.base + s.address, s.memory_size});
      }
    }
  }
  if (layout_.tls_end > layout_.tls_begin) {
    ranges.push_back({layout_.tls_begin, layout_.tls_end - layout_.tls_begin});
  }
  const auto slot_address = reinterpret_cast<std::uint64_t>(slot.data());
  const std::uint64_t top = reinterpret_cast<std::uint64_t>(stack_pointer) - slot_address;
  // On a stack that the program has allocated: it is not known how much of the slot's stack is in use.
  const bool is_on_stack = top > layout_.stack_low && top <= layout_.stack_high;
  const std::uint64_t stack_begin =
      is_on_stack ? std::max(layout_.stack_low, top - kBelowStackPointer) : layout_.stack_low;
  const std::uint64_t end = heap_end(slot);
  ranges.push_back({stack_begin, (end == 0 ? layout_.stack_high : end) - stack_begin});
  return ranges;
}

// Slot offset of the byte past the heap's last block; 0 before weft_shim_start(), when there is no heap.
std::uint64_t Program::heap_end(Slot slot) const {
  if (!shim_) {
    return 0;
  }
  const auto offset =
      reinterpret_cast<std::uint64_t>(shim_->heap_top(slot)) - reinterpret_cast<std::uint64_t>(slot.data());
  return offset > layout_.heap && offset <= slot.size() ? offset : 0;
}

bool Program::shorten_core(Slot slot) const noexcept {
  const std::uint64_t known = heap_end(slot);
  // The heap's top is unknown if the heap was overwritten.
  const std::uint64_t end = page_up(known != 0 ? known : layout_.heap + kAssumedHeap);
  const bool has_short_guard =
      madvise(slot.data() + layout_.guard, layout_.stack_low - layout_.guard, MADV_DONTDUMP) == 0;
  return has_short_guard && (end >= slot.size() || madvise(slot.data() + end, slot.size() - end, MADV_DONTDUMP) == 0);
}

}  // namespace weft::image
