// With --survive api: which processes have died and which communicators are revoked, as the communicators of one
// process show it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "mpi_shim/comm/comm_registry.hpp"
#include "runtime/job/job.hpp"

namespace weft::mpi_shim {
inline namespace comm {

struct CommShared;

// Thread-safe. A communicator that is made while a notice comes is marked by whichever of the two is later.
class CommFailureLog {
 public:
  // A notice: marks the communicators that are there.
  void note_death(const runtime::Job& job, CommRegistry& comms, ProcessId process, std::uint32_t notice);
  void note_revocation(CommRegistry& comms, std::uint32_t context, std::uint32_t notice);
  // One that the ranks' handles do not keep any more.
  void keep(std::shared_ptr<const CommShared> comm);
  // A communicator that is there now.
  void mark(const runtime::Job& job, const CommShared& comm);

 private:
  std::mutex mutex_;                                                  // guards what follows
  std::vector<std::pair<ProcessId, std::uint32_t>> deaths_;           // with their notices' numbers
  std::vector<std::pair<std::uint32_t, std::uint32_t>> revocations_;  // contexts, with theirs
  std::vector<std::shared_ptr<const CommShared>> kept_;
};

}  // namespace comm
}  // namespace weft::mpi_shim
