// Which pages of a rank have been written since they were asked for the last time: an image in memory need not copy the
// others again. The kernel tells it since Linux 6.7 (userfaultfd with UFFD_FEATURE_WP_ASYNC, and PAGEMAP_SCAN).
//
// It is not free: the first write to a watched page is a fault of about a microsecond, and it splits a huge page. So
// memory is watched in blocks of a huge page's size. One that turns out to be written in many places is not watched for
// the next images: it counts as written, and becomes a huge page again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/page_map.hpp"
#include "runtime/lbstep/address_set.hpp"

namespace weft::runtime {
inline namespace lbstep {

// The kernel's means, for all ranks of the process.
class PageWatch {
 public:
  PageWatch();
  ~PageWatch();
  PageWatch(const PageWatch&) = delete;
  PageWatch& operator=(const PageWatch&) = delete;

  // False where the kernel cannot tell, or a seccomp filter forbids it.
  [[nodiscard]] bool works() const { return descriptor_ >= 0; }
  // Before anything of it is asked for; none of its pages is protected then. False where it cannot be watched.
  [[nodiscard]] bool add(AddressRange space) const;
  void remove(AddressRange space) const;
  // Adds the pages that are written, do not exist or have never been protected, and protects them. False where a
  // mapping has come anew since add(), or the kernel cannot tell.
  [[nodiscard]] bool take_written(AddressRange pages, AddressSet& written) const;
  bool unprotect(AddressRange pages) const;
  // All of it lies in huge pages.
  [[nodiscard]] bool is_huge(AddressRange pages) const;

 private:
  int descriptor_ = -1;
  base::PageMap pages_;
};

// Of one rank, which must not run while these are called. What a handler of a signal writes to its memory meanwhile is
// told at once or by the next call.
class WriteTracker {
 public:
  explicit WriteTracker(const PageWatch& watch) : watch_(watch) {}
  ~WriteTracker();
  WriteTracker(const WriteTracker&) = delete;
  WriteTracker& operator=(const WriteTracker&) = delete;

  // What of the memory, which is ascending, may have been written or come anew since the last call; whole pages.
  // `space` are all addresses that its memory may have now: they always begin at the same one.
  AddressSet written(std::span<std::byte> space, std::span<const std::span<std::byte>> memory);

 private:
  // For how many images something is not watched, longer each time.
  class Backoff {
   public:
    explicit Backoff(std::uint32_t first) : next_(first) {}
    void begin();
    // False for so many images; each call is one.
    bool is_over();

   private:
    std::uint32_t left_ = 0;
    std::uint32_t next_;
  };
  struct Block {
    bool is_watched = false;  // its pages were protected when it was last in the memory
    bool was_huge = false;    // before
    Backoff backoff{8};
  };
  struct Part {
    std::uint64_t address = 0;  // of the block
    Block* block = nullptr;
    bool is_skipped = false;  // its backoff is not over
    AddressSet pages;
  };

  std::vector<Part> parts_of(const AddressSet& pages);
  // False where the kernel cannot tell.
  bool look(const AddressSet& pages, AddressSet& result);
  void begin_backoff(const Part& part) const;
  void stop();

  const PageWatch& watch_;
  AddressRange space_;  // of the last call
  bool is_watched_ = false;
  Backoff backoff_{1};                               // where the kernel could not tell
  std::unordered_map<std::uint64_t, Block> blocks_;  // by address
};

}  // namespace lbstep
}  // namespace weft::runtime
