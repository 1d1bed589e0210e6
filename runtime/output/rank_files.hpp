// What ranks print, in a file for each rank and stream (--output-filename).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace weft::runtime {
inline namespace output {

// FOLDER/1/rank.N/stdout and stderr, as in Open MPI; N has as many digits as the last rank's number. The files are
// opened for each write: there may be more ranks than files that a process may have open. Any thread, but one at a time
// for each rank.
class RankFiles {
 public:
  RankFiles(std::string folder, std::uint32_t ranks) : folder_(std::move(folder)), ranks_(ranks) {}

  // Creates the rank's files, and empties them unless `keep`. Throws std::runtime_error, which names the file.
  void make(std::uint32_t rank, bool keep) const;
  // Appends both parts to what the rank has written. Returns 0, or -1 with errno.
  int append(std::uint32_t rank, int fd, std::string_view first, std::string_view second) const;

 private:
  std::string folder_of(std::uint32_t rank) const;

  std::string folder_;
  std::uint32_t ranks_;
};

}  // namespace output
}  // namespace weft::runtime
