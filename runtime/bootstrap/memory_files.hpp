// Files that are memory only and gone with the last descriptor. They consist of huge pages (2 MiB) where the system
// lets this user have a file system of that kind: pages of 4 KiB cost several times as much to get, to map and to
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

  // An empty file for its user alone, closed when the process starts another program. `name` is seen in /proc/PID/fd.
  // -1 and errno where there is none to be had.
  int create(const std::string& name) const;

 private:
  int folder_;  // of a file system that is mounted nowhere; -1: there is none
};

}  // namespace weft::bootstrap
