// mmap and its like. Plain memory, private and anonymous, comes from the rank's heap: it moves with the rank and is
// saved with it. All else is the process's, noted as held by the rank.
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/image/libc_shim/holdings.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"
#include "runtime/image/libc_shim/subjects.hpp"

namespace weft::shim {
namespace {

constexpr size_t kPage = 4096;
constexpr int kPlainAccess = PROT_READ | PROT_WRITE;
constexpr size_t kMostBlocks = 4096;  // more take too long to search: what is mapped then is the process's

// A stretch of the rank's memory, of whole pages. Those in a list do not overlap.
struct Stretch {
  Stretch* next;
  char *begin, *end;
  char* block;  // of the heap, that it is a part of; or null
};

Stretch* parts;  // of blocks of the heap: what the program has mapped and not unmapped
size_t block_count;
Stretch* others;  // where the program has put something else over memory of the rank, or has changed its rights
int lock_word;    // guards what is above

size_t whole_pages(size_t n) { return (n + kPage - 1) & ~(kPage - 1); }

bool is_plain(size_t n, int protection, int flags) {
  constexpr int kWithoutMeaning =
      MAP_NORESERVE | MAP_STACK | MAP_POPULATE | MAP_LOCKED | MAP_DENYWRITE | MAP_EXECUTABLE;
  return n != 0 && n <= PTRDIFF_MAX && protection == kPlainAccess &&
         (flags & ~kWithoutMeaning) == (MAP_PRIVATE | MAP_ANONYMOUS);
}

// All of the next functions: the lock is held.

// False if there is no memory.
bool add(Stretch*& list, char* begin, char* end, char* block) {
  auto* const stretch = static_cast<Stretch*>(malloc(sizeof(Stretch)));
  if (stretch != nullptr) {
    *stretch = {list, begin, end, block};
    list = stretch;
  }
  return stretch != nullptr;
}

bool overlaps(const Stretch& stretch, const char* begin, const char* end) {
  return stretch.begin < end && begin < stretch.end;
}

bool any_overlaps(const Stretch* list, const char* begin, const char* end) {
  while (list != nullptr && !overlaps(*list, begin, end)) {
    list = list->next;
  }
  return list != nullptr;
}

bool has_parts(const char* block) {
  const Stretch* at = parts;
  while (at != nullptr && at->block != block) {
    at = at->next;
  }
  return at != nullptr;
}

// As fresh memory: zero, with the usual rights and nothing of the program's over it. `anew`: also where the kernel has
// something to undo.
void make_plain(char* begin, char* end, bool anew) {
  const auto bytes = static_cast<size_t>(end - begin);
  if (anew || WEFT_OF_PROCESS(madvise)(begin, bytes, MADV_DONTNEED) != 0) {  // which locked memory refuses
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    WEFT_OF_PROCESS(mmap)(begin, bytes, kPlainAccess, kFlags, -1, 0);
  }
}

// Takes [begin, end) out of the list: calls out(from, to, block) for what was in it. False if there is no memory: some
// may be left.
template <typename Out>
bool take_out(Stretch*& list, char* begin, char* end, const Out& out) {
  for (Stretch** link = &list; *link != nullptr;) {
    Stretch& stretch = **link;
    if (!overlaps(stretch, begin, end)) {
      link = &stretch.next;
      continue;
    }
    char* const from = begin > stretch.begin ? begin : stretch.begin;
    char* const to = end < stretch.end ? end : stretch.end;
    char* const block = stretch.block;
    if (from > stretch.begin && to < stretch.end && !add(stretch.next, to, stretch.end, block)) {
      return false;
    }
    if (from > stretch.begin) {
      stretch.end = from;
      link = &stretch.next;
    } else if (to < stretch.end) {
      stretch.begin = to;
      link = &stretch.next;
    } else {
      *link = stretch.next;
      free(&stretch);
    }
    out(from, to, block);
  }
  return true;
}

// As munmap() does: what lies between the stretches does not matter. False if there is no memory.
bool unmap_in_slot(char* begin, char* end) {
  const bool is_plain_now =
      take_out(others, begin, end, [](char* from, char* to, char*) { make_plain(from, to, true); });
  return is_plain_now && take_out(parts, begin, end, [](char* from, char* to, char* block) {
           make_plain(from, to, false);
           if (!has_parts(block)) {
             --block_count;
             free(block);
           }
         });
}

// Null if the heap has no room, or there are too many.
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

// Notes that this memory of the rank is not plain any more, or again.
void note_others(char* begin, char* end, bool plain) {
  take_out(others, begin, end, [](char*, char*, char*) {});
  if (!plain) {
    add(others, begin, end, nullptr);
  }
}

// Until here.

void* held_mapping(void* address, const char* name) {
  if (address != MAP_FAILED) {
    hold(HoldingKind::kMapping, key_of(address), name);
  }
  return address;
}

void* map(void* hint, size_t n, int protection, int flags, int descriptor, off_t offset) {
  if (is_plain(n, protection, flags)) {
    const ThreadLock lock(lock_word);
    if (void* const place = map_in_heap(n); place != nullptr) {
      return place;
    }
  }
  void* const address = WEFT_OF_PROCESS(mmap)(hint, n, protection, flags, descriptor, offset);
  if (address != MAP_FAILED && in_slot(address)) {  // by MAP_FIXED
    const ThreadLock lock(lock_word);
    auto* const begin = static_cast<char*>(address);
    note_others(begin, begin + whole_pages(n), is_plain(n, protection, flags & ~(MAP_FIXED | MAP_FIXED_NOREPLACE)));
    return address;
  }
  return held_mapping(address, (flags & MAP_ANONYMOUS) != 0 ? "mmap" : "mmap of a file");
}

void* fail_with(int error) {
  errno = error;
  return MAP_FAILED;
}

// To larger memory of the heap. The kernel moves the pages, if it can: what was never touched stays so.
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

// Of memory in the heap.
void* resize(char* old, size_t old_size, size_t size, int flags) {
  const size_t before = whole_pages(old_size);
  const size_t bytes = whole_pages(size);
  const ThreadLock lock(lock_word);
  const Stretch* part = parts;
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
  // What the program has put over it would have to move, too.
  const bool may_move = (flags & MREMAP_MAYMOVE) != 0 && !any_overlaps(others, old, old + before);
  return may_move ? move(old, before, bytes) : fail_with(ENOMEM);
}

int note_rights(void* address, size_t n, bool plain, int result) {
  if (result == 0 && in_slot(address)) {
    const ThreadLock lock(lock_word);
    auto* const begin = static_cast<char*>(address);
    note_others(begin, begin + whole_pages(n), plain);
  }
  return result;
}

}  // namespace

bool has_other_mappings() { return others != nullptr; }

}  // namespace weft::shim

WEFT_RANK_EXPORT void* mmap(void* hint, size_t n, int protection, int flags, int descriptor, off_t offset) noexcept {
  return weft::shim::map(hint, n, protection, flags, descriptor, offset);
}

WEFT_RANK_EXPORT void* mmap64(void* hint, size_t n, int protection, int flags, int descriptor,
                              off64_t offset) noexcept {
  return weft::shim::map(hint, n, protection, flags, descriptor, offset);
}

WEFT_RANK_EXPORT int munmap(void* address, size_t n) noexcept {
  using namespace weft::shim;
  if (!in_slot(address)) {
    let_go(HoldingKind::kMapping, key_of(address));
    return WEFT_OF_PROCESS(munmap)(address, n);
  }
  if (reinterpret_cast<uintptr_t>(address) % kPage != 0 || n == 0 || n > PTRDIFF_MAX) {
    errno = EINVAL;
    return -1;
  }
  auto* const begin = static_cast<char*>(address);
  const ThreadLock lock(lock_word);
  if (!unmap_in_slot(begin, begin + whole_pages(n))) {
    errno = ENOMEM;
    return -1;
  }
  return 0;
}

WEFT_RANK_EXPORT void* mremap(void* old, size_t old_size, size_t size, int flags, ...) noexcept {
  using namespace weft::shim;
  if (in_slot(old)) {
    return resize(static_cast<char*>(old), old_size, size, flags);
  }
  va_list arguments;
  va_start(arguments, flags);
  void* const wanted = (flags & MREMAP_FIXED) != 0 ? va_arg(arguments, void*) : nullptr;
  va_end(arguments);
  void* const address = WEFT_OF_PROCESS(mremap)(old, old_size, size, flags, wanted);
  if (address != MAP_FAILED && old_size != 0 && (flags & MREMAP_DONTUNMAP) == 0) {
    let_go(HoldingKind::kMapping, key_of(old));
  }
  return held_mapping(address, "mremap");
}

// Memory with other rights would lose them elsewhere, or could not be read to be sent.
WEFT_RANK_EXPORT int mprotect(void* address, size_t n, int protection) noexcept {
  using namespace weft::shim;
  const int result = WEFT_OF_PROCESS(mprotect)(address, n, protection);
  return note_rights(address, n, protection == kPlainAccess, result);
}

WEFT_RANK_EXPORT int pkey_mprotect(void* address, size_t n, int protection, int key) noexcept {
  using namespace weft::shim;
  const int result = WEFT_OF_PROCESS(pkey_mprotect)(address, n, protection, key);
  return note_rights(address, n, protection == kPlainAccess && key <= 0, result);
}

// It would lock the slots of all ranks, which are far larger than the machine's memory.
WEFT_RANK_EXPORT int mlockall(int) noexcept {
  errno = ENOMEM;
  return -1;
}
