// The memory of wave fields: rows begin at cache lines, large fields lie in huge pages.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>
#include <vector>

namespace ondes3d {

inline constexpr std::size_t kLineBytes = 64;

// Aligned to cache lines. From a few huge pages on aligned to those, and the system is asked for them: a kernel walks
// through a dozen streams at once, and with small pages it often waits for the address of the next one.
template <typename T>
struct FieldAllocator {
  using value_type = T;
  FieldAllocator() = default;
  template <typename Other>
  explicit FieldAllocator(const FieldAllocator<Other>&) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* const memory = ::operator new(bytes, alignment(bytes));
#ifdef MADV_HUGEPAGE
    if (bytes >= kWorthHugePages) {
      madvise(memory, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);  // a wish: what comes of it does not matter
    }
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) { ::operator delete(memory, alignment(count * sizeof(T))); }
  bool operator==(const FieldAllocator&) const { return true; }

 private:
  static constexpr std::size_t kHugePage = std::size_t{2} << 20U;
  static constexpr std::size_t kWorthHugePages = 4 * kHugePage;
  static std::align_val_t alignment(std::size_t bytes) {
    return std::align_val_t{bytes >= kWorthHugePages ? kHugePage : kLineBytes};
  }
};

template <typename T>
using FieldMemory = std::vector<T, FieldAllocator<T>>;

}  // namespace ondes3d
