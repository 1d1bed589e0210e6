// Which cores of this host other jobs of the same user have bound their workers to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft::runtime {
inline namespace topology {

// A job locks a file of the folder for each core that it takes: core-N, or core-N.1 and so on where others have that.
// The system unlocks it when the process ends, however it ends.
class CoreLocks {
 public:
  // An empty folder: other jobs are not seen.
  explicit CoreLocks(std::string folder) : folder_(std::move(folder)) {}
  ~CoreLocks();
  CoreLocks(const CoreLocks&) = delete;
  CoreLocks& operator=(const CoreLocks&) = delete;

  // `count` of these cores, which others do not take as long as this lives: the first that are free, then, where these
  // are too few, the first of those that the fewest other jobs have. `count` is at most the number of cores.
  std::vector<std::uint32_t> take(const std::vector<std::uint32_t>& cores, std::size_t count);

 private:
  bool lock(std::uint32_t core, int others);

  const std::string folder_;
  std::vector<int> locks_;  // descriptors
};

}  // namespace topology
}  // namespace weft::runtime
