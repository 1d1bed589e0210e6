// malloc and its family on the rank's own heap.
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {

Heap* rank_heap;

namespace {

constexpr size_t kPage = 4096;
int heap_lock;  // guards the heap
char* limit;    // the heap may never use this address or higher ones

const char* describe(Fault fault) {
  switch (fault) {
    case Fault::kNotABlock:
      return "no block of the heap starts there (freed twice, or never allocated?)";
    case Fault::kDoubleFree:
      return "the block is free already (freed twice?)";
    case Fault::kCorrupted:
      return "the header in front of the block was overwritten";
    case Fault::kOverrun:
      return "the program wrote past the end of the block";
    case Fault::kFreeList:
      return "a free block was written to (used after free?)";
  }
  return "";
}

[[gnu::noinline, gnu::cold]] void on_fault(Fault fault, const void* where) {
  const char* place = "";
  const auto offset = reinterpret_cast<size_t>(where) - reinterpret_cast<size_t>(weft_shim_info.stack_low);
  if (fault == Fault::kNotABlock && offset < weft_shim_info.stack_size) {
    place = " (it points into the stack)";
  } else if (fault == Fault::kNotABlock && !rank_heap->contains(where)) {
    place = " (it points to a variable of the program)";
  }
  fail("heap error at %p: %s%s", where, describe(fault), place);
}

// Ends the job if a pointer outside this rank's slot belongs to another rank.
[[gnu::noinline, gnu::cold]] void refuse_other_rank(const char* call, const void* p) {
  const auto offset = reinterpret_cast<size_t>(p) - reinterpret_cast<size_t>(weft_shim_info.region);
  if (offset < weft_shim_info.region_size) {
    fail("%s(%p): the memory belongs to rank %zu", call, p, offset / weft_shim_info.slot_size);
  }
}

void* or_no_memory(void* p) {
  if (p == nullptr) [[unlikely]] {
    errno = ENOMEM;
  }
  return p;
}

void* aligned(size_t alignment, size_t n) {
  const ThreadLock lock(heap_lock);
  return or_no_memory(rank_heap->allocate_aligned(alignment, n));
}

bool is_power_of_two(size_t n) { return n != 0 && (n & (n - 1)) == 0; }

}  // namespace

void start_heap() {
  const WeftShimInfo& info = weft_shim_info;
  const size_t skip = -reinterpret_cast<size_t>(info.heap) & (kPage - 1);
  const size_t bytes = (info.heap_size - skip) & ~(kPage - 1);
  limit = info.heap + skip + bytes;
  rank_heap = Heap::create(info.heap + skip, bytes, on_fault);
}

char* heap_limit() { return limit; }

char* heap_top() {
  const ThreadLock lock(heap_lock);
  return rank_heap->top() + Block::kAlignment;
}

char* take_heap_to(char* to) {
  const ThreadLock lock(heap_lock);
  return static_cast<char*>(rank_heap->allocate_to(to));
}

bool end_heap_at(char* end) {
  const ThreadLock lock(heap_lock);
  return rank_heap->end_at(end, limit);
}

}  // namespace weft::shim

using weft::shim::in_slot;
using weft::shim::rank_heap;
using weft::shim::ThreadLock;

WEFT_RANK_EXPORT void* malloc(size_t n) {
  const ThreadLock lock(weft::shim::heap_lock);
  return weft::shim::or_no_memory(rank_heap->allocate(n));
}

WEFT_RANK_EXPORT void free(void* p) {
  if (in_slot(p)) [[likely]] {
    const ThreadLock lock(weft::shim::heap_lock);
    rank_heap->release(p);
  } else if (p != nullptr) {
    weft::shim::refuse_other_rank("free", p);
    WEFT_OF_PROCESS(free)(p);  // the C library allocated it
  }
}

WEFT_RANK_EXPORT void* calloc(size_t count, size_t size) {
  size_t n = 0;
  if (__builtin_mul_overflow(count, size, &n)) {
    return weft::shim::or_no_memory(nullptr);
  }
  const ThreadLock lock(weft::shim::heap_lock);
  return weft::shim::or_no_memory(rank_heap->allocate_zeroed(n));
}

WEFT_RANK_EXPORT void* realloc(void* p, size_t n) {
  if (p == nullptr) {
    return malloc(n);
  }
  if (n == 0) {
    free(p);
    return nullptr;
  }
  if (!in_slot(p)) [[unlikely]] {
    weft::shim::refuse_other_rank("realloc", p);
    return WEFT_OF_PROCESS(realloc)(p, n);
  }
  const ThreadLock lock(weft::shim::heap_lock);
  return weft::shim::or_no_memory(rank_heap->resize(p, n));
}

WEFT_RANK_EXPORT void* reallocarray(void* p, size_t count, size_t size) {
  size_t n = 0;
  return __builtin_mul_overflow(count, size, &n) ? weft::shim::or_no_memory(nullptr) : realloc(p, n);
}

// As the C library does it, an alignment that is no power of two is rounded up.
WEFT_RANK_EXPORT void* memalign(size_t alignment, size_t n) {
  if (alignment > SIZE_MAX / 2) {
    errno = EINVAL;
    return nullptr;
  }
  return weft::shim::aligned(std::bit_ceil(alignment), n);
}

WEFT_RANK_EXPORT void* aligned_alloc(size_t alignment, size_t n) { return memalign(alignment, n); }

WEFT_RANK_EXPORT int posix_memalign(void** result, size_t alignment, size_t n) {
  if (alignment % sizeof(void*) != 0 || !weft::shim::is_power_of_two(alignment)) {
    return EINVAL;
  }
  const int saved = errno;
  void* p = weft::shim::aligned(alignment, n);
  errno = saved;
  if (p == nullptr) {
    return ENOMEM;
  }
  *result = p;
  return 0;
}

WEFT_RANK_EXPORT void* valloc(size_t n) { return weft::shim::aligned(weft::shim::kPage, n); }

WEFT_RANK_EXPORT void* pvalloc(size_t n) {
  return n > SIZE_MAX - weft::shim::kPage
             ? weft::shim::or_no_memory(nullptr)
             : weft::shim::aligned(weft::shim::kPage, (n + weft::shim::kPage - 1) & ~(weft::shim::kPage - 1));
}

WEFT_RANK_EXPORT void cfree(void* p) { free(p); }

WEFT_RANK_EXPORT size_t malloc_usable_size(void* p) {
  if (p == nullptr) {
    return 0;
  }
  return in_slot(p) ? weft::shim::Heap::usable(p) : WEFT_OF_PROCESS(malloc_usable_size)(p);
}

WEFT_RANK_EXPORT int malloc_trim(size_t) {
  const ThreadLock lock(weft::shim::heap_lock);
  rank_heap->trim();
  return 1;
}

WEFT_RANK_EXPORT int mallopt(int, int) { return 1; }

WEFT_RANK_EXPORT struct mallinfo2 mallinfo2() {
  const weft::shim::Heap::Usage usage = rank_heap->usage();
  struct mallinfo2 info = {};
  info.arena = usage.heap;
  info.ordblks = usage.free_blocks;
  info.uordblks = usage.heap - usage.free;
  info.fordblks = usage.free;
  return info;
}

WEFT_RANK_EXPORT struct mallinfo mallinfo() {
  const weft::shim::Heap::Usage usage = rank_heap->usage();
  struct mallinfo info = {};  // of 32 bits by its interface: it wraps
  info.arena = static_cast<int>(usage.heap);
  info.ordblks = static_cast<int>(usage.free_blocks);
  info.uordblks = static_cast<int>(usage.heap - usage.free);
  info.fordblks = static_cast<int>(usage.free);
  return info;
}

WEFT_RANK_EXPORT void malloc_stats() {
  const weft::shim::Heap::Usage usage = rank_heap->usage();
  fprintf(stderr, "rank %u: heap of %zu bytes, %zu of them free in %zu blocks\n", weft_shim_info.rank, usage.heap,
          usage.free, usage.free_blocks);
}

WEFT_RANK_EXPORT char* weft_shim_heap_top() {
  return rank_heap == nullptr ? nullptr : rank_heap->top() + weft::shim::Block::kAlignment;
}

WEFT_RANK_EXPORT char* weft_shim_heap_end();
char* weft_shim_heap_end() { return rank_heap == nullptr ? nullptr : rank_heap->end(); }

WEFT_RANK_EXPORT void weft_shim_trim() { malloc_trim(0); }
