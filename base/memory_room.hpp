// How much memory there is, and how much of it may still be used.
#pragma once

#include <cstdint>

namespace weft::base {

struct MemoryRoom {
  std::uint64_t all = 0;
  std::uint64_t left = 0;
};

// The host's.
MemoryRoom room_of_host();
// That of this process's control group, version 2, where it has a limit; else no bound.
MemoryRoom room_of_group();
// Bytes in memory that this process shares with no file and no other process; 0 where the system does not say.
std::uint64_t private_memory();

}  // namespace weft::base
