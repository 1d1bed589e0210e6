#include "runtime/image/touched_ranges.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/page_map.hpp"

namespace weft::image {
namespace {

constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
constexpr std::uint64_t kWorthLeavingOut = 16 * kPage;  // shorter stretches of zeros cost more to list than to move

// Not instrumented: what it reads may be a rank's stack, where a read of a red zone is no error.
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

// Samples a huge page at a few places, true if none of them is zero: where few pages are in use, a sample hits a zero
// one almost surely.
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

// Calls keep(from, to) for the pages of [begin, end), which exist, except long stretches of zeros in huge pages: the
// kernel allocates 2 MiB when one byte is touched.
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

std::vector<ByteRange> touched_ranges(Slot slot, std::span<const ByteRange> ranges) {
  const base::PageMap pages;
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
  const base::PageMap pages;
  const auto begin = reinterpret_cast<std::uint64_t>(slot.data());
  std::uint64_t bytes = 0;
  const bool told = pages.scan(begin, begin + page_down(slot.size()), {.none_of = base::kFilePage},
                               [&](std::uint64_t from, std::uint64_t to) { bytes += to - from; });
  return told ? std::optional(bytes) : std::nullopt;
}

}  // namespace weft::image
