#include "runtime/p2p/unexpected_memory.hpp"

#include "base/memory_capacity.hpp"

namespace weft::runtime {
inline namespace p2p {
namespace {

constexpr std::uint64_t kStep = std::uint64_t{16} << 20;  // bytes after which the system is asked again
constexpr std::uint64_t kReserve = 10;                    // one part in so many of the memory stays free

bool has_room(const base::MemoryCapacity& memory) { return memory.available > memory.total / kReserve + kStep; }

}  // namespace

bool UnexpectedMemory::reserve(std::size_t bytes) {
  if (closed_.load(std::memory_order_relaxed)) {
    return false;
  }
  const std::uint64_t taken = taken_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  const bool fits = most_ == 0 ? taken <= allowed_.load(std::memory_order_relaxed) || ask_system(taken)
                               : taken + static_cast<std::uint64_t>(kCredit) <= most_;
  if (!fits) {
    release(bytes);
  }
  return fits;
}

bool UnexpectedMemory::ask_system(std::uint64_t taken) {
  const bool has_memory = has_room(base::host_memory()) && has_room(base::cgroup_memory());
  if (has_memory) {
    allowed_.store(taken + kStep, std::memory_order_relaxed);
  }
  return has_memory;
}

}  // namespace p2p
}  // namespace weft::runtime
