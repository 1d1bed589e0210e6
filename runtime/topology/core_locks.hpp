// Keeps track of the cores of this host to which jobs of the same user have bound their workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft::runtime {
inline namespace topology {

// A job locks a file of the folder for each core that it takes: core-N, or core-N.1 and so on where other jobs have
// that one. The system unlocks it when the process ends, however it ends.
class CoreLocks {
 public:
  // An empty `folder`: other jobs are not seen.
  explicit CoreLocks(std::string folder) : folder_(std::move(folder)) {}
  ~CoreLocks();
  CoreLocks(const CoreLocks&) = delete;
  CoreLocks& operator=(const CoreLocks&) = delete;

  // Takes `count` of these cores, which other jobs avoid while this object lives: first the free ones, then, where
  // these are too few, those with the fewest other jobs. `count` is at most the number of cores.
  std::vector<std::uint32_t> take(const std::vector<std::uint32_t>& cores, std::size_t count);

 private:
  bool lock(std::uint32_t core, int others);

  const std::string folder_;
  std::vector<int> locks_;  // descriptors
};

}  // namespace topology
}  // namespace weft::runtime
