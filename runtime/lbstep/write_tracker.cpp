#include "runtime/lbstep/write_tracker.hpp"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/pages.hpp"

namespace weft::runtime {
inline namespace lbstep {
namespace {

// From Linux 6.7; older headers lack them.
constexpr std::uint64_t kAsynchronous = 1 << 15;  // UFFD_FEATURE_WP_ASYNC
constexpr int kCollapse = 25;                     // MADV_COLLAPSE

constexpr std::uint64_t kBlockBytes = std::uint64_t{2} << 20;
constexpr std::uint64_t kLongestBackoff = 64;  // images
// If more than this fraction of a block's pages is written, copying the whole block costs less than a fault for each
// written page.
constexpr double kWorthWatching = 0.125;

uffdio_range range_of(AddressRange range) { return {.start = range.begin, .len = range.end - range.begin}; }

AddressSet pages_of(std::span<const std::span<std::byte>> memory) {
  AddressSet pages;
  for (const std::span<std::byte> range : memory) {
    const auto begin = reinterpret_cast<std::uint64_t>(range.data());
    append(pages, {base::page_down(begin), base::page_up(begin + range.size())});
  }
  return pages;
}

std::uint64_t bytes_of(const AddressSet& set) {
  std::uint64_t bytes = 0;
  for (const AddressRange& range : set) {
    bytes += range.end - range.begin;
  }
  return bytes;
}

void append_all(AddressSet& to, const AddressSet& from) {
  for (const AddressRange& range : from) {
    append(to, range);
  }
}

// The intersection of `pages` and `other`. `next` carries the position in `other` from call to call; pages must ascend.
AddressSet common(const AddressSet& pages, const AddressSet& other, AddressSet::const_iterator& next) {
  AddressSet both;
  for (const AddressRange& range : pages) {
    while (next != other.end() && next->end <= range.begin) {
      ++next;
    }
    for (auto its = next; its != other.end() && its->begin < range.end; ++its) {
      append(both, {std::max(its->begin, range.begin), std::min(its->end, range.end)});
    }
  }
  return both;
}

}  // namespace

PageWatch::PageWatch()
    : descriptor_(static_cast<int>(::syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY))) {
  uffdio_api wanted{.api = UFFD_API, .features = kAsynchronous, .ioctls = 0};
  if (descriptor_ >= 0 && ::ioctl(descriptor_, UFFDIO_API, &wanted) != 0) {
    ::close(descriptor_);
    descriptor_ = -1;
  }
}

PageWatch::~PageWatch() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

bool PageWatch::add(AddressRange space) const {
  uffdio_register wanted{.range = range_of(space), .mode = UFFDIO_REGISTER_MODE_WP, .ioctls = 0};
  // A mapping that mremap() has moved here may have brought protected pages with it (Linux before 6.13).
  return ::ioctl(descriptor_, UFFDIO_REGISTER, &wanted) == 0 && unprotect(space);
}

void PageWatch::remove(AddressRange space) const {
  uffdio_range range = range_of(space);
  ::ioctl(descriptor_, UFFDIO_UNREGISTER, &range);
}

// A page that does not exist is not protected either: all pages that are not both present and unchanged count. So do
// pages that are written between the two scans.
bool PageWatch::take_written(AddressRange pages, AddressSet& written) const {
  std::uint64_t unchanged_until = pages.begin;
  AddressSet changed;
  AddressSet protected_now;
  const bool is_known = pages_.scan(pages.begin, pages.end, {.none_of = base::kWrittenPage},
                                    [&](std::uint64_t begin, std::uint64_t end) {
                                      append(changed, {unchanged_until, begin});
                                      unchanged_until = end;
                                    }) &&
                        pages_.scan(pages.begin, pages.end, {.all_of = base::kWrittenPage, .protect = true},
                                    [&](std::uint64_t begin, std::uint64_t end) {
                                      append(protected_now, {begin, end});
                                    });
  append(changed, {unchanged_until, pages.end});
  append_all(written, united(changed, protected_now));
  return is_known;
}

bool PageWatch::unprotect(AddressRange pages) const {
  uffdio_writeprotect wanted{.range = range_of(pages), .mode = 0};
  return ::ioctl(descriptor_, UFFDIO_WRITEPROTECT, &wanted) == 0;
}

bool PageWatch::is_huge(AddressRange pages) const {
  AddressSet huge;
  return pages_.scan(pages.begin, pages.end, {.all_of = base::kHugePage}, [&](std::uint64_t begin, std::uint64_t end) {
    append(huge, {begin, end});
  }) && huge == AddressSet{pages};
}

void WriteTracker::Backoff::begin() {
  left_ = next_;
  next_ = std::min<std::uint32_t>(2 * next_, kLongestBackoff);
}

bool WriteTracker::Backoff::is_over() {
  if (left_ == 0) {
    return true;
  }
  --left_;
  return false;
}

WriteTracker::~WriteTracker() { stop(); }

void WriteTracker::stop() {
  if (is_watched_) {
    watch_.remove(space_);
  }
  is_watched_ = false;
  blocks_.clear();
}

AddressSet WriteTracker::written(std::span<std::byte> space, std::span<const std::span<std::byte>> memory) {
  AddressSet pages = pages_of(memory);
  const auto begin = reinterpret_cast<std::uint64_t>(space.data());
  const AddressRange now{begin, begin + space.size()};
  if (is_watched_ && now.end > space_.end && !watch_.add({space_.end, now.end})) {
    stop();
  }
  space_ = now;
  if (!watch_.works() || space_.begin == space_.end || !backoff_.is_over()) {
    return pages;
  }
  is_watched_ = is_watched_ || watch_.add(space_);
  AddressSet result;
  if (!is_watched_ || !look(pages, result)) {
    stop();
    backoff_.begin();
    return pages;
  }
  return result;
}

std::vector<WriteTracker::Part> WriteTracker::parts_of(const AddressSet& pages) {
  std::vector<Part> parts;
  for (AddressRange rest : pages) {
    while (rest.begin < rest.end) {
      const std::uint64_t address = rest.begin & ~(kBlockBytes - 1);
      const std::uint64_t cut = std::min(rest.end, address + kBlockBytes);
      if (parts.empty() || parts.back().address != address) {
        Block& block = blocks_[address];
        parts.push_back({.address = address, .block = &block, .is_skipped = !block.backoff.is_over(), .pages = {}});
      }
      append(parts.back().pages, {rest.begin, cut});
      rest.begin = cut;
    }
  }
  return parts;
}

bool WriteTracker::look(const AddressSet& pages, AddressSet& result) {
  const std::vector<Part> parts = parts_of(pages);
  AddressSet asked;
  for (const Part& part : parts) {
    if (!part.is_skipped) {
      append_all(asked, part.pages);
      Block& block = *part.block;
      const AddressRange whole{part.address, part.address + kBlockBytes};
      block.was_huge = block.is_watched ? block.was_huge : part.pages == AddressSet{whole} && watch_.is_huge(whole);
    }
  }
  AddressSet written;
  for (const AddressRange& range : asked) {
    if (!watch_.take_written(range, written)) {
      return false;
    }
  }
  auto next = written.cbegin();
  for (const Part& part : parts) {
    if (part.is_skipped || !part.block->is_watched) {
      part.block->is_watched = !part.is_skipped;
      append_all(result, part.pages);
      continue;
    }
    const AddressSet its = common(part.pages, written, next);
    append_all(result, its);
    if (static_cast<double>(bytes_of(its)) > kWorthWatching * static_cast<double>(bytes_of(part.pages))) {
      begin_backoff(part);
    }
  }
  return true;
}

void WriteTracker::begin_backoff(const Part& part) const {
  part.block->is_watched = false;
  part.block->backoff.begin();
  for (const AddressRange& range : part.pages) {
    watch_.unprotect(range);
  }
  if (part.block->was_huge) {  // only a request: the kernel may refuse
    ::madvise(reinterpret_cast<void*>(part.address), kBlockBytes, kCollapse);
  }
}

}  // namespace lbstep
}  // namespace weft::runtime
