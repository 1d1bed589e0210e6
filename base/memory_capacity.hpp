// How much memory the host and the control group have, and how much of it is still available.
#pragma once

#include <cstdint>

#include "base/control_groups.hpp"

namespace weft::base {

// In bytes.
struct MemoryCapacity {
  std::uint64_t total = 0;
  std::uint64_t available = 0;
};

MemoryCapacity host_memory();
// Of this process's control group and those around it (version 2): the limit of the one that leaves least, and what it
// leaves; the largest numbers where none has a limit. Memory that caches files counts as left.
MemoryCapacity cgroup_memory(const ControlGroupFiles& files = {});
// Resident bytes that belong to no file and are not shared with other processes; 0 where the system does not say.
std::uint64_t private_memory();

}  // namespace weft::base
