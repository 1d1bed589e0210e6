// With --survive api: records which processes have died and which communicators are revoked, and marks the
// communicators of this process accordingly.
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

// Thread-safe. A communicator that is made while a notice comes is marked by whichever happens later: note_…() or
// apply_to().
class CommFailureLog {
 public:
  // Records a notice, and marks the communicators that exist.
  void note_death(const runtime::Job& job, CommRegistry& comms, ProcessId process, std::uint32_t notice);
  void note_revocation(CommRegistry& comms, std::uint32_t context, std::uint32_t notice);
  // Keeps a communicator whose handles have been freed alive until the job ends.
  void keep(std::shared_ptr<const CommShared> comm);
  // Marks a new communicator according to all notices so far.
  void apply_to(const runtime::Job& job, const CommShared& comm);

 private:
  std::mutex mutex_;                                                  // guards what follows
  std::vector<std::pair<ProcessId, std::uint32_t>> deaths_;           // with the numbers of their notices
  std::vector<std::pair<std::uint32_t, std::uint32_t>> revocations_;  // contexts, with the numbers of their notices
  std::vector<std::shared_ptr<const CommShared>> freed_comms_;
};

}  // namespace comm
}  // namespace weft::mpi_shim
