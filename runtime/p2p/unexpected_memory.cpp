#include "runtime/p2p/unexpected_memory.hpp"

#include "base/memory_room.hpp"

namespace weft::runtime {
inline namespace p2p {
namespace {

constexpr std::uint64_t kStep = std::uint64_t{16} << 20;  // between two questions to the system
constexpr std::uint64_t kReserve = 10;                    // one part in so many stays free

bool has_room(const base::MemoryRoom& room) { return room.left > room.all / kReserve + kStep; }

}  // namespace

bool UnexpectedMemory::take(std::size_t bytes) {
  if (closed_.load(std::memory_order_relaxed)) {
    return false;
  }
  const std::uint64_t taken = taken_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  const bool fits = most_ == 0 ? taken <= allowed_.load(std::memory_order_relaxed) || ask_system(taken)
                               : taken + static_cast<std::uint64_t>(kCredit) <= most_;
  if (!fits) {
    give(bytes);
  }
  return fits;
}

bool UnexpectedMemory::ask_system(std::uint64_t taken) {
  const bool is_there = has_room(base::room_of_host()) && has_room(base::room_of_group());
  if (is_there) {
    allowed_.store(taken + kStep, std::memory_order_relaxed);
  }
  return is_there;
}

}  // namespace p2p
}  // namespace weft::runtime
