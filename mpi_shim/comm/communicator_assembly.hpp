// Communicators that the members of a group make without the other ranks (MPI_Comm_create_group,
// MPI_Comm_create_from_group), in a job of one process.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "mpi_shim/comm/communicator.hpp"
#include "mpi_shim/state/process_part.hpp"

namespace weft::mpi_shim {
inline namespace comm {

// Thread-safe.
class CommunicatorAssemblies final : public ProcessPart {
 public:
  static constexpr ProcessPartId kProcessPart = ProcessPartId::assemblies;
  // (context of the parent or of MPI_COMM_WORLD, tag or -1, string tag)
  using Key = std::tuple<std::uint32_t, int, std::string>;

  // The communicator for member `number` of the group. The first member that comes makes it; no member waits.
  std::shared_ptr<const CommShared> take(runtime::Job& job, const Key& key, const std::shared_ptr<const Group>& group,
                                         int number);

 private:
  // A communicator that not all members have taken yet.
  struct Open {
    std::shared_ptr<const CommShared> comm;
    std::vector<bool> taken;  // by number in the group
    int left = 0;
  };
  std::mutex mutex_;  // guards open_
  // Several may have one key: of different groups, or of one group whose first members make the next call already.
  std::multimap<Key, Open> open_;
};

}  // namespace comm
}  // namespace weft::mpi_shim
