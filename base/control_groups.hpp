// The kernel's control groups that this process is in, whose limits apply to it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace weft::base {

// Where the system describes them; tests have files of their own.
struct ControlGroupFiles {
  std::filesystem::path groups = "/proc/self/cgroup";
  std::filesystem::path mount = "/sys/fs/cgroup";
};

struct ControlGroup {
  std::string name;  // its path among the groups, such as "/user.slice"
  std::filesystem::path folder;
};

// This process's group and those around it, the innermost first: of version 2 and of version 1's `controller`.
std::vector<ControlGroup> control_groups(std::string_view controller, const ControlGroupFiles& files = {});

}  // namespace weft::base
