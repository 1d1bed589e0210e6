// Files that exist only in memory and are freed with their last descriptor. They consist of huge pages (2 MiB) where
// the system lets this user create such a file system: pages of 4 KiB cost several times as much to allocate, map and
// unmap.
#pragma once

#include <string>

namespace weft::bootstrap {

class MemoryFiles {
 public:
  MemoryFiles();
  ~MemoryFiles();
  MemoryFiles(const MemoryFiles&) = delete;
  MemoryFiles& operator=(const MemoryFiles&) = delete;

  // Creates an empty file, accessible to the user alone and closed when the process executes another program. `name` is
  // visible in /proc/PID/fd. -1 and errno where no file can be created.
  int create(const std::string& name) const;

 private:
  int folder_;  // of a file system that is mounted nowhere; -1: there is none
};

}  // namespace weft::bootstrap
