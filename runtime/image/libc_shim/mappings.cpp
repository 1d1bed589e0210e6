// mmap() and similar functions. Plain memory, private and anonymous, comes from the rank's heap: it moves with the rank
// and is saved with it. Files that are only read are mapped again where the rank goes. All other mappings belong to the
// process, and are noted as held by the rank.
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/image/libc_shim/file_mappings.hpp"
#include "runtime/image/libc_shim/mapped_ranges.hpp"
#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"
#include "runtime/image/libc_shim/streams.hpp"

namespace weft::shim {
namespace {

constexpr size_t kPage = 4096;
constexpr int kPlainAccess = PROT_READ | PROT_WRITE;
constexpr size_t kMostBlocks = 4096;  // more take too long to search: further mappings belong to the process

MappedRange<char*>* parts;  // parts of heap blocks that the program has mapped and not unmapped
size_t block_count;
MappedRange<char*>* others;
// Mappings of the process, outside of the rank's addresses, that the rank holds, and why they keep it here.
MappedRange<const char*>* elsewhere;
bool is_incomplete;  // there was no memory to note something
int lock_word;       // guards what is above

size_t whole_pages(size_t n) { return (n + kPage - 1) & ~(kPage - 1); }

bool is_plain(size_t n, int protection, int flags) {
  constexpr int kWithoutMeaning =
      MAP_NORESERVE | MAP_STACK | MAP_POPULATE | MAP_LOCKED | MAP_DENYWRITE | MAP_EXECUTABLE;
  return n != 0 && n <= PTRDIFF_MAX && protection == kPlainAccess &&
         (flags & ~kWithoutMeaning) == (MAP_PRIVATE | MAP_ANONYMOUS);
}

// REQUIRES for all following functions: the lock is held. Only map() and note_rights() take it themselves.

// Makes the range read as zero. `anew`: by mapping memory there, which also undoes another protection and whatever else
// the program has mapped; otherwise by advice where that is enough. False where the kernel allows no more mappings.
bool make_plain(char* begin, char* end, bool anew) {
  const bool is_done = !anew && WEFT_OF_PROCESS(madvise)(begin, static_cast<size_t>(end - begin), MADV_DONTNEED) == 0;
  return is_done || cover(begin, end);  // the kernel refuses MADV_DONTNEED for memory that mlock() has locked
}

// Like munmap(): addresses between the ranges are ignored. False if there is no memory.
bool unmap_in_slot(char* begin, char* end) {
  for (auto* at = find_overlapping(others, begin, end); at != nullptr; at = find_overlapping(at->next, begin, end)) {
    if (!make_plain(at->begin < begin ? begin : at->begin, at->end < end ? at->end : end, true)) {
      return false;
    }
  }
  const bool is_done = take_out(others, begin, end, [](char*, char*, char*) {}) && unmap_files(begin, end) &&
                       take_out(parts, begin, end, [](char* from, char* to, char* block) {
                         make_plain(from, to, false);
                         if (!has_parts(parts, block)) {
                           --block_count;
                           free(block);
                         }
                       });
  end_heap_at_mappings();
  return is_done;
}

// Null if the heap has no room, or there are too many blocks.
void* map_in_heap(size_t n) {
  if (block_count == kMostBlocks) {
    return nullptr;
  }
  const int before = errno;
  const size_t bytes = whole_pages(n);
  auto* const block = static_cast<char*>(aligned_alloc(kPage, bytes));
  errno = before;
  if (block == nullptr || !add(parts, block, block + bytes, block)) {
    free(block);
    return nullptr;
  }
  ++block_count;
  make_plain(block, block + bytes, false);
  return block;
}

// Notes that this memory of the rank is no longer plain, or plain again.
void note_others(char* begin, char* end, bool plain) {
  take_out(others, begin, end, [](char*, char*, char*) {});
  if (!plain) {
    is_incomplete = !add(others, begin, end, static_cast<char*>(nullptr)) || is_incomplete;
  }
}

// The program maps something at an address of its choice. The part beyond the heap's blocks must not become part of a
// block later. False if there is no room, or the range exceeds the rank's addresses. `block`: the heap block that now
// contains the range, if any.
bool keep_from_heap(char* begin, char* end, char*& block) {
  if (end <= heap_top()) {
    return true;
  }
  if (begin < heap_top() || end > heap_limit()) {
    return false;
  }
  if (end_heap_before(begin)) {
    return true;
  }
  block = take_heap_to(end);
  if (block == nullptr || !add(parts, begin, end, block)) {
    free(block);
    return false;
  }
  ++block_count;
  return true;
}

void* fail_with(int error) {
  errno = error;
  return MAP_FAILED;
}

// Calls `map` for a range of the program's choice. `plain`: memory like the heap's.
void* map_over(void* place, size_t n, bool plain, const auto& map) {
  auto* const begin = static_cast<char*>(place);
  char* const end = begin + whole_pages(n);
  if (reinterpret_cast<uintptr_t>(begin) % kPage != 0 || end <= begin) {
    return fail_with(EINVAL);
  }
  char* block = nullptr;
  if (!keep_from_heap(begin, end, block)) {
    return fail_with(ENOMEM);
  }
  void* const address = map();
  if (address == MAP_FAILED) {
    const int why = errno;
    block == nullptr ? end_heap_at_mappings() : static_cast<void>(unmap_in_slot(begin, end));
    return fail_with(why);
  }
  note_others(begin, end, plain && end <= heap_top());
  return address;
}

// Notes that the process's mappings in the range are gone.
void forget_mapping(void* address, size_t n) {
  auto* const begin = static_cast<char*>(address);
  take_out(elsewhere, begin, begin + whole_pages(n), [](char*, char*, const char*) {});
}

// Notes a new mapping of the process. `is_over`: it may have replaced others.
void* hold_mapping(void* address, size_t n, bool is_over, const char* why) {
  if (address != MAP_FAILED) {
    if (is_over) {
      forget_mapping(address, n);
    }
    auto* const begin = static_cast<char*>(address);
    is_incomplete = !add(elsewhere, begin, begin + whole_pages(n), why) || is_incomplete;
  }
  return address;
}

void* map(void* hint, size_t n, int protection, int flags, int descriptor, off_t offset) {
  constexpr int kFixed = MAP_FIXED | MAP_FIXED_NOREPLACE;
  const bool is_anonymous = (flags & MAP_ANONYMOUS) != 0;
  const int file = is_anonymous ? descriptor : real_descriptor(descriptor);
  const ThreadLock lock(lock_word);
  if (is_plain(n, protection, flags)) {
    if (void* const place = map_in_heap(n); place != nullptr) {
      return place;
    }
  }
  if (hint == nullptr && !is_anonymous) {
    if (void* const place = map_file({n, protection, flags, file, offset}); place != nullptr) {
      return place;
    }
  }
  const auto map_it = [&] { return WEFT_OF_PROCESS(mmap)(hint, n, protection, flags, file, offset); };
  const bool is_fixed = (flags & kFixed) != 0;
  if (is_fixed && in_slot(hint)) {
    return map_over(hint, n, is_plain(n, protection, flags & ~kFixed), map_it);
  }
  return hold_mapping(map_it(), n, is_fixed,
                      is_anonymous ? "memory from mmap is in use" : "memory from mmap of a file is in use");
}

// Moves a mapping to larger memory of the heap. If possible the kernel moves the pages, so untouched ones stay
// untouched.
void* move(char* old, size_t before, size_t bytes) {
  auto* const place = static_cast<char*>(map_in_heap(bytes));
  if (place == nullptr) {
    return fail_with(ENOMEM);
  }
  const auto moved = WEFT_OF_PROCESS(mremap)(old, before, before, MREMAP_MAYMOVE | MREMAP_FIXED, place);
  if (moved == MAP_FAILED) {
    memcpy(place, old, before);
  } else {
    make_plain(old, old + before, true);
  }
  unmap_in_slot(old, old + before);
  return place;
}

// Resizes a mapping in the rank's addresses.
void* resize(char* old, size_t old_size, size_t size, int flags, void* wanted) {
  const size_t before = whole_pages(old_size);
  const size_t bytes = whole_pages(size);
  if (has_file(old, old + 1)) {
    const bool is_its = find_overlapping(others, old, old + before) == nullptr;
    return is_its ? resize_file(old, before, bytes, flags, wanted) : fail_with(ENOMEM);
  }
  const MappedRange<char*>* part = parts;
  while (part != nullptr && (old < part->begin || part->end < old + before)) {
    part = part->next;
  }
  const bool is_aligned = reinterpret_cast<uintptr_t>(old) % kPage == 0;
  if (part == nullptr || !is_aligned || before == 0 || bytes == 0 || size > PTRDIFF_MAX ||
      (flags & ~MREMAP_MAYMOVE) != 0) {
    return fail_with(EINVAL);
  }
  if (bytes <= before) {
    return bytes == before || unmap_in_slot(old + bytes, old + before) ? old : fail_with(ENOMEM);
  }
  // Other mappings over it would have to move too.
  const bool may_move = (flags & MREMAP_MAYMOVE) != 0 && find_overlapping(others, old, old + before) == nullptr;
  return may_move ? move(old, before, bytes) : fail_with(ENOMEM);
}

int note_rights(void* address, size_t n, int protection, int result) {
  if (result == 0 && in_slot(address)) {
    const ThreadLock lock(lock_word);
    auto* const begin = static_cast<char*>(address);
    char* const end = begin + whole_pages(n);
    const bool is_heap = end <= heap_top();
    if (is_heap || protection != PROT_READ) {  // data written behind the heap exists nowhere else
      note_others(begin, end, is_heap && protection == kPlainAccess);
    }
  }
  return result;
}

void* remap(void* old, size_t old_size, size_t size, int flags, void* wanted) {
  const auto move_it = [&] {
    return in_slot(old) ? resize(static_cast<char*>(old), old_size, size, flags, wanted)
                        : WEFT_OF_PROCESS(mremap)(old, old_size, size, flags, wanted);
  };
  const bool is_fixed = (flags & MREMAP_FIXED) != 0;
  void* const place = is_fixed && in_slot(wanted) ? map_over(wanted, size, false, move_it) : move_it();
  if (place == MAP_FAILED) {
    return place;
  }
  if (!in_slot(old) && old_size != 0 && (flags & MREMAP_DONTUNMAP) == 0) {
    forget_mapping(old, old_size);
  }
  return in_slot(place) ? place : hold_mapping(place, size, is_fixed, "memory from mremap is in use");
}

int unmap(void* address, size_t n) {
  auto* const begin = static_cast<char*>(address);
  char* const end = begin + whole_pages(n);
  if (!in_slot(address)) {
    const int result = WEFT_OF_PROCESS(munmap)(address, n);
    if (result == 0) {
      forget_mapping(address, n);
    }
    return result;
  }
  if (reinterpret_cast<uintptr_t>(address) % kPage != 0 || n == 0 || n > PTRDIFF_MAX) {
    errno = EINVAL;
    return -1;
  }
  if (!unmap_in_slot(begin, end)) {
    errno = ENOMEM;
    return -1;
  }
  return 0;
}

}  // namespace

MappedRange<char*>*& other_ranges() { return others; }

const char* why_mappings_stay(bool several_hosts) {
  const ThreadLock lock(lock_word);
  if (is_incomplete) {
    return "it had no memory left to note what it has mapped";
  }
  if (others != nullptr) {
    return "memory of its own has other rights, by mprotect, or something else is mapped over it";
  }
  return elsewhere != nullptr ? elsewhere->of : why_mapped_files_stay(several_hosts);
}

void note_lock(int descriptor) {
  const ThreadLock lock(lock_word);
  note_lock_of_file(descriptor);
}

}  // namespace weft::shim

WEFT_RANK_EXPORT void* mmap(void* hint, size_t n, int protection, int flags, int descriptor, off_t offset) noexcept {
  return weft::shim::map(hint, n, protection, flags, descriptor, offset);
}

WEFT_RANK_EXPORT void* mmap64(void* hint, size_t n, int protection, int flags, int descriptor,
                              off64_t offset) noexcept {
  return weft::shim::map(hint, n, protection, flags, descriptor, offset);
}

WEFT_RANK_EXPORT int munmap(void* address, size_t n) noexcept {
  const weft::shim::ThreadLock lock(weft::shim::lock_word);
  return weft::shim::unmap(address, n);
}

WEFT_RANK_EXPORT void* mremap(void* old, size_t old_size, size_t size, int flags, ...) noexcept {
  va_list arguments;
  va_start(arguments, flags);
  void* const wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(arguments, void*) : nullptr;
  va_end(arguments);
  const weft::shim::ThreadLock lock(weft::shim::lock_word);
  return weft::shim::remap(old, old_size, size, flags, wanted);
}

// Memory with another protection would lose it elsewhere, or could not be read to be sent.
WEFT_RANK_EXPORT int mprotect(void* address, size_t n, int protection) noexcept {
  using namespace weft::shim;
  const int result = WEFT_OF_PROCESS(mprotect)(address, n, protection);
  return note_rights(address, n, protection, result);
}

WEFT_RANK_EXPORT int pkey_mprotect(void* address, size_t n, int protection, int key) noexcept {
  using namespace weft::shim;
  const int result = WEFT_OF_PROCESS(pkey_mprotect)(address, n, protection, key);
  return note_rights(address, n, key <= 0 ? protection : -1, result);
}

// It would lock the slots of all ranks, which are far larger than the machine's memory.
WEFT_RANK_EXPORT int mlockall(int) noexcept {
  errno = ENOMEM;
  return -1;
}
