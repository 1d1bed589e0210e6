// Tracks which pages of a rank have been written since the last query, so that an image in memory need not copy the
// others again. The kernel supports that since Linux 6.7 (userfaultfd with UFFD_FEATURE_WP_ASYNC, and PAGEMAP_SCAN).
//
// Tracking is not free: the first write to a watched page causes a fault of about a microsecond, and it splits a huge
// page. So memory is watched in blocks of a huge page's size. A block that is written in many places is not watched for
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

// The kernel's page tracking, for all ranks of the process.
class PageWatch {
 public:
  PageWatch();
  ~PageWatch();
  PageWatch(const PageWatch&) = delete;
  PageWatch& operator=(const PageWatch&) = delete;

  // False where the kernel lacks this, or a seccomp filter forbids it.
  [[nodiscard]] bool works() const { return descriptor_ >= 0; }
  // Starts to watch `space`; call it before any query. None of its pages is protected at first. False where it cannot
  // be watched.
  [[nodiscard]] bool add(AddressRange space) const;
  void remove(AddressRange space) const;
  // Adds the pages to `written` that have been written, do not exist or have never been protected, and protects them.
  // False where a mapping is new since add(), or the kernel cannot tell.
  [[nodiscard]] bool take_written(AddressRange pages, AddressSet& written) const;
  // Afterwards the pages count as written, and the next write to them causes no fault.
  bool unprotect(AddressRange pages) const;
  // True when all of it lies in huge pages.
  [[nodiscard]] bool is_huge(AddressRange pages) const;

 private:
  int descriptor_ = -1;
  base::PageMap pages_;
};

// Tracks one rank, which must not run during calls. What a signal handler writes to its memory meanwhile is reported by
// this call or the next.
class WriteTracker {
 public:
  explicit WriteTracker(const PageWatch& watch) : watch_(watch) {}
  ~WriteTracker();
  WriteTracker(const WriteTracker&) = delete;
  WriteTracker& operator=(const WriteTracker&) = delete;

  // The parts of `memory` (ascending) that may have been written or are new since the last call, as whole pages.
  // `space` covers all addresses that its memory may have now; it always begins at the same address.
  AddressSet written(std::span<std::byte> space, std::span<const std::span<std::byte>> memory);

 private:
  // For how many images something is not watched: the number doubles each time it is needed again.
  class Backoff {
   public:
    explicit Backoff(std::uint32_t first) : next_(first) {}
    void begin();
    // False for that many images; each call counts as one image.
    bool is_over();

   private:
    std::uint32_t left_ = 0;
    std::uint32_t next_;
  };
  struct Block {
    bool is_watched = false;  // its pages were protected when it was last in the memory
    bool was_huge = false;    // it was a huge page before that
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
  Backoff backoff_{1};                               // of all blocks, after the kernel could not tell what was written
  std::unordered_map<std::uint64_t, Block> blocks_;  // by address
};

}  // namespace lbstep
}  // namespace weft::runtime
