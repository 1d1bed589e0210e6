// Finds which pages of this process's memory exist, by /proc/self/pagemap.
#pragma once

#include <cstdint>
#include <functional>

namespace weft::base {

// Categories of pages as PAGEMAP_SCAN has them (Documentation/admin-guide/mm/pagemap.rst).
enum PageCategory : std::uint64_t {
  kWrittenPage = 1 << 1,  // written since it was protected; only for memory that userfaultfd watches
  kFilePage = 1 << 2,
  kPresentPage = 1 << 3,
  kSwappedPage = 1 << 4,
  kHugePage = 1 << 6,  // a part of one
};

// Pages that exist and are of each category in all_of and of none in none_of.
struct PageQuery {
  std::uint64_t all_of = 0;
  std::uint64_t none_of = 0;
  // Write-protects the pages that are found: they count as written from their next write on. The scan fails if
  // userfaultfd does not watch them.
  bool protect = false;
};

// Called with a range of whole pages.
using FoundPages = std::function<void(std::uint64_t begin, std::uint64_t end)>;

class PageMap {
 public:
  // Throws std::runtime_error.
  PageMap();
  ~PageMap();
  PageMap(const PageMap&) = delete;
  PageMap& operator=(const PageMap&) = delete;

  // In both functions `begin` and `end` are multiples of the page size.
  // Calls found() for every range of matching pages in [begin, end), ascending. False if the kernel is older than
  // Linux 6.7 or memory that must be watched is not; found() may have been called for some ranges even then.
  bool scan(std::uint64_t begin, std::uint64_t end, const PageQuery& query, const FoundPages& found) const;
  // Calls found() for every range of existing pages, on older kernels too. Throws std::runtime_error.
  void visit(std::uint64_t begin, std::uint64_t end, const FoundPages& found) const;

 private:
  void read_entries(std::uint64_t begin, std::uint64_t end, const FoundPages& found) const;

  int descriptor_;
};

}  // namespace weft::base
