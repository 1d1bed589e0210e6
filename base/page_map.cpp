#include "base/page_map.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "base/pages.hpp"

namespace weft::base {
namespace {

// Of Linux 6.7's PAGEMAP_SCAN, which older headers lack.
struct PageRegion {
  std::uint64_t begin, end, categories;
};
struct ScanArguments {
  std::uint64_t size, flags, begin, end, walk_end, regions, region_count, max_pages;
  std::uint64_t inverted, all_of, any_of, returned;
};
const unsigned long kScan = _IOWR('f', 16, ScanArguments);
constexpr std::uint64_t kProtectMatching = 1 << 0;
constexpr std::uint64_t kCheckWatched = 1 << 1;

// Bits of an entry.
constexpr std::uint64_t kEntryPresent = std::uint64_t{1} << 63;
constexpr std::uint64_t kEntrySwapped = std::uint64_t{1} << 62;

[[noreturn]] void throw_error(const char* what) {
  throw std::runtime_error(std::string("cannot ") + what + " /proc/self/pagemap: " + std::strerror(errno));
}

}  // namespace

PageMap::PageMap() : descriptor_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw_error("open");
  }
}

PageMap::~PageMap() { close(descriptor_); }

bool PageMap::scan(std::uint64_t begin, std::uint64_t end, const PageQuery& query, const FoundPages& found) const {
  std::array<PageRegion, 256> regions;
  while (begin < end) {
    ScanArguments arguments = {};
    arguments.size = sizeof arguments;
    arguments.flags = query.protect ? kProtectMatching | kCheckWatched : 0;
    arguments.begin = begin;
    arguments.end = end;
    arguments.regions = reinterpret_cast<std::uint64_t>(regions.data());
    arguments.region_count = regions.size();
    arguments.inverted = query.none_of;
    arguments.all_of = query.all_of | query.none_of;
    arguments.any_of = kPresentPage | kSwappedPage;
    arguments.returned = kPresentPage | kSwappedPage;
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

void PageMap::visit(std::uint64_t begin, std::uint64_t end, const FoundPages& found) const {
  if (!scan(begin, end, {}, found)) {
    read_entries(begin, end, found);
  }
}

void PageMap::read_entries(std::uint64_t begin, std::uint64_t end, const FoundPages& found) const {
  std::array<std::uint64_t, 4096> entries;
  while (begin < end) {
    const std::uint64_t count = std::min<std::uint64_t>(entries.size(), (end - begin) / kPageBytes);
    const auto bytes = static_cast<ssize_t>(count * sizeof entries[0]);
    const auto at = static_cast<off_t>(begin / kPageBytes * sizeof entries[0]);
    if (pread(descriptor_, entries.data(), static_cast<std::size_t>(bytes), at) != bytes) {
      throw_error("read");
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      if ((entries[i] & (kEntryPresent | kEntrySwapped)) != 0) {
        found(begin + i * kPageBytes, begin + (i + 1) * kPageBytes);
      }
    }
    begin += count * kPageBytes;
  }
}

}  // namespace weft::base
