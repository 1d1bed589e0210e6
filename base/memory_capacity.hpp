// How much memory the host and the control group have, and how much of it is still available.
#pragma once

#include <cstdint>

namespace weft::base {

// In bytes.
struct MemoryCapacity {
  std::uint64_t total = 0;
  std::uint64_t available = 0;
};

MemoryCapacity host_memory();
// The limit of this process's own control group (version 2) and what it leaves; the largest numbers where that group
// has no limit. Limits of the groups around it are not looked at.
MemoryCapacity cgroup_memory();
// Resident bytes that belong to no file and are not shared with other processes; 0 where the system does not say.
std::uint64_t private_memory();

}  // namespace weft::base
