#include "runtime/image/region.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "base/check.hpp"
#include "runtime/image/load_error.hpp"

namespace weft::image {
namespace {

constexpr std::uint64_t kSmallestSlot = std::uint64_t{1} << 20;

// Subtracted from a slot's power of two. With exact powers of two the same page of every rank would fall into one set
// of the TLB; with more ranks than the set has ways, each switch would miss. An odd number of pages cycles through all
// sets.
constexpr std::uint64_t kSkew = 17 * std::uint64_t{4096};

std::string range_text(std::uint64_t begin, std::uint64_t size) {
  char text[80];
  std::snprintf(text, sizeof text, "%#lx-%#lx (%lu GiB)", begin, begin + size, size >> 30);
  return text;
}

// The line of /proc/self/maps that overlaps the range.
std::string holder(std::uint64_t begin, std::uint64_t size) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long low = 0;
    unsigned long high = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &low, &high) == 2 && low < begin + size && high > begin) {
      return line;
    }
  }
  return "an unknown mapping";
}

[[noreturn]] void report(std::uint64_t begin, std::uint64_t size, int error) {
  const std::string what = "cannot reserve addresses " + range_text(begin, size) + " for the ranks: ";
  if (error == EEXIST) {
    throw LoadError(what + "taken by \"" + holder(begin, size) + "\"; choose another base or size");
  }
  rlimit limit = {};
  if (error == ENOMEM && getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    throw LoadError(what + "the limit on address space is " + std::to_string(limit.rlim_cur >> 20) +
                    " MiB; lift it (ulimit -v unlimited) or reserve less (--region-size 16G)");
  }
  throw LoadError(what + std::strerror(error));
}

// Valgrind tracks every page of a mapping, and has too little memory for a larger range.
constexpr std::uint64_t kMostUnderValgrind = std::uint64_t{64} << 30;

bool is_under_valgrind() {
  const char* preloaded = std::getenv("LD_PRELOAD");  // NOLINT(concurrency-mt-unsafe): before the workers start
  return preloaded != nullptr && std::strstr(preloaded, "/vgpreload_") != nullptr;
}

}  // namespace

Region::Region(std::uint32_t ranks, const RegionOptions& options)
    : programs_(std::make_unique<std::atomic<const Program*>[]>(ranks)), size_(options.size), ranks_(ranks) {
  base::check(ranks > 0, "a region is for at least one rank");
  slot_size_ = std::bit_floor(size_ / ranks);
  if (slot_size_ < kSmallestSlot) {
    throw LoadError("an address range of " + std::to_string(size_ >> 20) + " MiB is too small for " +
                    std::to_string(ranks) + " ranks: each needs at least 1 MiB");
  }
  slot_size_ -= kSkew;
  if (size_ > kMostUnderValgrind && is_under_valgrind()) {
    throw LoadError("valgrind cannot hold addresses of " + std::to_string(size_ >> 30) +
                    " GiB for the ranks: add --region-base 0x10000000000 --region-size 16G to weftrun's options");
  }
  void* wanted = reinterpret_cast<void*>(options.base);
  void* got = mmap(wanted, size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) {
    report(options.base, size_, errno);
  }
  if (got != wanted) {  // a kernel before 4.17, which ignores the flag and uses the address as a hint
    munmap(got, size_);
    report(options.base, size_, EEXIST);
  }
  begin_ = static_cast<std::byte*>(got);
}

Region::~Region() { munmap(begin_, size_); }

Slot Region::slot(std::uint32_t rank) const {
  base::check(rank < ranks_, "a rank of this job");
  return {begin_ + slot_size_ * rank, slot_size_};
}

std::optional<std::uint32_t> Region::rank_at(const void* address) const {
  const auto distance = reinterpret_cast<std::uint64_t>(address) - reinterpret_cast<std::uint64_t>(begin_);
  if (distance >= slot_size_ * ranks_) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(distance / slot_size_);
}

}  // namespace weft::image
