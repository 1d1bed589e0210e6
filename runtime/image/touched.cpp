#include "runtime/image/touched.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/check.hpp"
#include "runtime/image/load_error.hpp"

namespace weft::image {
namespace {

// Linux 6.7's PAGEMAP_SCAN (Documentation/admin-guide/mm/pagemap.rst), which older headers lack.
struct PageRegion {
  std::uint64_t begin, end, categories;
};
struct ScanArguments {
  std::uint64_t size, flags, begin, end, walk_end, regions, region_count, max_pages;
  std::uint64_t inverted, all_of, any_of, returned;
};
constexpr std::uint64_t kFile = 1 << 2;
constexpr std::uint64_t kPresent = 1 << 3;
constexpr std::uint64_t kSwapped = 1 << 4;
const unsigned long kScan = _IOWR('f', 16, ScanArguments);

// Bits of a /proc/self/pagemap entry.
constexpr std::uint64_t kEntryPresent = std::uint64_t{1} << 63;
constexpr std::uint64_t kEntrySwapped = std::uint64_t{1} << 62;

class PageMap {
 public:
  PageMap() : descriptor_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) {
      throw LoadError(std::string("cannot open /proc/self/pagemap: ") + std::strerror(errno));
    }
  }
  ~PageMap() { close(descriptor_); }
  PageMap(const PageMap&) = delete;
  PageMap& operator=(const PageMap&) = delete;

  // Calls found(begin, end) for every stretch of existing pages in [begin, end), ascending; bounds are pages.
  template <class Found>
  void visit(std::uint64_t begin, std::uint64_t end, const Found& found) const {
    if (!scan(begin, end, 0, found)) {
      read_entries(begin, end, found);
    }
  }

  // The same for existing pages without any of the categories `no`. False if the kernel is too old.
  template <class Found>
  bool scan(std::uint64_t begin, std::uint64_t end, std::uint64_t no, const Found& found) const {
    std::array<PageRegion, 256> regions;
    while (begin < end) {
      ScanArguments arguments = {};
      arguments.size = sizeof arguments;
      arguments.begin = begin;
      arguments.end = end;
      arguments.regions = reinterpret_cast<std::uint64_t>(regions.data());
      arguments.region_count = regions.size();
      arguments.inverted = no;
      arguments.all_of = no;
      arguments.any_of = kPresent | kSwapped;
      arguments.returned = kPresent | kSwapped;
      const int count = ioctl(descriptor_, kScan, &arguments);
      if (count < 0) {
        return false;
      }
      for (int i = 0; i < count; ++i) {
        found(regions[static_cast<std::size_t>(i)].begin, regions[static_cast<std::size_t>(i)].end);
      }
      begin = arguments.walk_end;
    }
    return true;
  }

 private:
  template <class Found>
  void read_entries(std::uint64_t begin, std::uint64_t end, const Found& found) const {
    std::array<std::uint64_t, 4096> entries;
    while (begin < end) {
      const std::uint64_t count = std::min<std::uint64_t>(entries.size(), (end - begin) / kPage);
      const auto bytes = static_cast<ssize_t>(count * sizeof entries[0]);
      const auto at = static_cast<off_t>(begin / kPage * sizeof entries[0]);
      if (pread(descriptor_, entries.data(), static_cast<std::size_t>(bytes), at) != bytes) {
        throw LoadError(std::string("cannot read /proc/self/pagemap: ") + std::strerror(errno));
      }
      for (std::uint64_t i = 0; i < count; ++i) {
        if ((entries[i] & (kEntryPresent | kEntrySwapped)) != 0) {
          found(begin + i * kPage, begin + (i + 1) * kPage);
        }
      }
      begin += count * kPage;
    }
  }

  int descriptor_;
};

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
constexpr std::uint64_t kWorthLeavingOut = 16 * kPage;  // shorter stretches of zeros cost more to name than to move

// A rank's own stack may be among what these read.
[[gnu::no_sanitize_address]] bool is_zero(std::uint64_t begin, std::uint64_t bytes) {
  const auto* const words = reinterpret_cast<const std::uint64_t*>(begin);
  for (std::uint64_t i = 0; i < bytes / sizeof *words; i += 8) {
    std::uint64_t any = 0;
    for (std::uint64_t j = i; j < i + 8; ++j) {
      any |= words[j];
    }
    if (any != 0) {
      return false;
    }
  }
  return true;
}

// By a few looks: in a huge page that is in use here and there nearly all pages are zero.
bool looks_full(std::uint64_t huge_page) {
  constexpr std::uint64_t kLooks = 8;
  constexpr std::uint64_t kCacheLine = 64;
  for (std::uint64_t i = 0; i < kLooks; ++i) {
    if (is_zero(huge_page + i * (kHugePage / kLooks), kCacheLine)) {
      return false;
    }
  }
  return true;
}

// Calls keep(from, to) for the pages of [begin, end), which exist, but for long stretches of zeros in huge pages: the
// kernel gives 2 MiB to who touches a byte.
template <class Keep>
void leave_zeros_out(std::uint64_t begin, std::uint64_t end, const Keep& keep) {
  std::uint64_t kept_until = begin;
  const auto leave_out = [&](std::uint64_t from, std::uint64_t to) {
    if (to - from >= kWorthLeavingOut) {
      if (from > kept_until) {
        keep(kept_until, from);
      }
      kept_until = to;
    }
  };
  for (std::uint64_t huge = (begin + kHugePage - 1) & ~(kHugePage - 1); huge + kHugePage <= end; huge += kHugePage) {
    if (looks_full(huge)) {
      continue;
    }
    std::uint64_t zeros = huge;  // where a stretch of zeros begins that ends here
    for (std::uint64_t page = huge; page < huge + kHugePage; page += kPage) {
      if (!is_zero(page, kPage)) {
        leave_out(zeros, page);
        zeros = page + kPage;
      }
    }
    leave_out(zeros, huge + kHugePage);
  }
  if (end > kept_until) {
    keep(kept_until, end);
  }
}

}  // namespace

std::vector<ByteRange> touched(Slot slot, std::span<const ByteRange> ranges) {
  const PageMap pages;
  const auto slot_address = reinterpret_cast<std::uint64_t>(slot.data());
  std::vector<ByteRange> result;
  for (const ByteRange& range : ranges) {
    base::check(range.offset <= slot.size() && range.bytes <= slot.size() - range.offset, "a range inside the slot");
    const std::uint64_t end = range.offset + range.bytes;
    const auto keep = [&](std::uint64_t from, std::uint64_t to) {
      const std::uint64_t low = std::max(from - slot_address, range.offset);
      const std::uint64_t high = std::min(to - slot_address, end);
      if (!result.empty() && result.back().offset + result.back().bytes == low) {
        result.back().bytes += high - low;
      } else if (high > low) {
        result.push_back({low, high - low});
      }
    };
    pages.visit(slot_address + page_down(range.offset), slot_address + page_up(end),
                [&](std::uint64_t from, std::uint64_t to) { leave_zeros_out(from, to, keep); });
  }
  return result;
}

std::optional<std::uint64_t> written_bytes(Slot slot) {
  const PageMap pages;
  const auto begin = reinterpret_cast<std::uint64_t>(slot.data());
  std::uint64_t bytes = 0;
  const bool told = pages.scan(begin, begin + page_down(slot.size()), kFile,
                               [&](std::uint64_t from, std::uint64_t to) { bytes += to - from; });
  return told ? std::optional(bytes) : std::nullopt;
}

}  // namespace weft::image
