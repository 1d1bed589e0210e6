#include "base/control_groups.hpp"

#include <cstddef>
#include <fstream>

namespace weft::base {

// A line is "0::/path" for version 2 and "4:controller:/path" for version 1.
std::vector<ControlGroup> control_groups(std::string_view controller, const ControlGroupFiles& files) {
  std::vector<ControlGroup> found;
  std::ifstream groups(files.groups);
  for (std::string line; std::getline(groups, line);) {
    const std::size_t name = line.find(':') + 1;
    const std::size_t path = line.find(':', name) + 1;
    const std::string controllers = line.substr(name, path - name - 1);
    if (name == 0 || path == 0 || (!controllers.empty() && controllers != controller)) {
      continue;
    }
    const std::filesystem::path root = files.mount / controllers;
    for (std::filesystem::path group = line.substr(path);; group = group.parent_path()) {
      found.push_back({group.string(), root / group.relative_path()});
      if (group == group.parent_path()) {
        break;
      }
    }
  }
  return found;
}

}  // namespace weft::base
