// Whether a run fits into the memory that there is, before it takes any.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "physics/box.hpp"

namespace ondes3d {

// What a rank may still take, bytes; infinite where nothing limits it.
struct Room {
  std::array<char, 64> host{};
  long long process = 0;
  double on_host = 0;     // free memory and swap, in the limits of its control group: all ranks of the host share it
  double in_process = 0;  // of the process's own limits: all ranks of the process share it
};

// Of the calling rank. `weft` says that memory of ranks lies in address space that is reserved already.
[[nodiscard]] Room room_here(const std::string& host, bool weft);

// Empty where `needs` (bytes, of each rank) fit into `rooms` (of each rank), else one line with what is there and the
// size of a grid like this one that would fit.
[[nodiscard]] std::string shortage(const std::vector<Room>& rooms, const std::vector<double>& needs,
                                   const Index3& cells);

// A control group's limit less what it uses, in either version's files under `mount`; `groups` is /proc/self/cgroup.
[[nodiscard]] double room_in_groups(const std::string& groups, const std::string& mount);

}  // namespace ondes3d
