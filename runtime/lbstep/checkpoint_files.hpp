// Where the files of one checkpoint are: in a folder, or in memory files that the launcher holds (--survive).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::runtime {
inline namespace lbstep {

class CheckpointFiles {
 public:
  // A checkpoint's folder, or "/proc/PID/fd/3,4,5" for memory files of that process: one for the index, then one for
  // each process of the job, and perhaps more.
  explicit CheckpointFiles(std::string path);
  static bool are_in_memory(std::string_view path);

  const std::string& path() const { return path_; }
  std::string index() const;
  // Throws std::runtime_error where there is no file for this process.
  std::string of_process(std::uint32_t process) const;
  // Bytes of memory that the memory files use.
  std::uint64_t bytes_in_memory() const;
  // Frees the memory of the memory files.
  void empty_memory() const;

 private:
  std::string path_;
  std::vector<std::string> in_memory_;  // paths; empty for a folder
};

}  // namespace lbstep
}  // namespace weft::runtime
