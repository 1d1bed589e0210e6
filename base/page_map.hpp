// Which pages of this process's memory exist, as Linux tells in /proc/self/pagemap.
#pragma once

#include <cstdint>
#include <functional>

namespace weft::base {

// Categories of pages as PAGEMAP_SCAN has them (Documentation/admin-guide/mm/pagemap.rst).
enum PageCategory : std::uint64_t {
  kWrittenPage = 1 << 1,  // since it was protected; of memory that userfaultfd watches
  kFilePage = 1 << 2,
  kPresentPage = 1 << 3,
  kSwappedPage = 1 << 4,
  kHugePage = 1 << 6,  // a part of one
};

// Pages that exist and are of each category in all_of and of none in none_of.
struct PageQuery {
  std::uint64_t all_of = 0;
  std::uint64_t none_of = 0;
  // Those that are found are protected: they are "written" from their next write on. An error where they are not
  // watched.
  bool protect = false;
};

// Addresses from one page's bound to another's.
using FoundPages = std::function<void(std::uint64_t begin, std::uint64_t end)>;

class PageMap {
 public:
  // Throws std::runtime_error.
  PageMap();
  ~PageMap();
  PageMap(const PageMap&) = delete;
  PageMap& operator=(const PageMap&) = delete;

  // Calls found() for every stretch of pages in [begin, end), ascending. False where the kernel cannot tell (before
  // Linux 6.7), or memory is not watched that should be: some stretches may have been found all the same.
  bool scan(std::uint64_t begin, std::uint64_t end, const PageQuery& query, const FoundPages& found) const;
  // Every stretch of existing pages, on older kernels too. Throws std::runtime_error.
  void visit(std::uint64_t begin, std::uint64_t end, const FoundPages& found) const;

 private:
  void read_entries(std::uint64_t begin, std::uint64_t end, const FoundPages& found) const;

  int descriptor_;
};

}  // namespace weft::base
