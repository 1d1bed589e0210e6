// Checks whether a run fits into the available memory, before it allocates any.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "physics/box.hpp"

namespace ondes3d {

// The bytes that a rank may still allocate; infinite without a limit.
struct AvailableMemory {
  std::array<char, 64> host{};
  long long process = 0;
  double on_host = 0;     // free memory and swap, in the limits of its control group: all ranks of the host share it
  double in_process = 0;  // of the process's own limits: all ranks of the process share it
};

// Of the calling rank. `weft` says that memory of ranks lies in address space that is reserved already.
[[nodiscard]] AvailableMemory available_memory_here(const std::string& host, bool weft);

// Empty if `needs` (bytes, of each rank) fit into `available` (of each rank). Else one line with the available memory
// and the size of a similar grid that would fit.
[[nodiscard]] std::string shortage(const std::vector<AvailableMemory>& available, const std::vector<double>& needs,
                                   const Index3& cells);

// A control group's limit less what it uses, in either version's files under `mount`; `groups` is /proc/self/cgroup.
[[nodiscard]] double memory_left_in_groups(const std::string& groups, const std::string& mount);

}  // namespace ondes3d
