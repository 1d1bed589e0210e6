// The communicators of one process: their registry, and how the shared part of one is made.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "mpi_shim/comm/comm_failure_log.hpp"
#include "mpi_shim/comm/comm_registry.hpp"
#include "mpi_shim/comm/communicator.hpp"
#include "mpi_shim/state/process_state.hpp"

namespace weft::mpi_shim {
inline namespace comm {

// Thread-safe.
class ProcessComms final : public ProcessPart {
 public:
  static constexpr ProcessPartId kProcessPart = ProcessPartId::comms;

  const std::shared_ptr<ContextNumbers>& numbers() const { return numbers_; }
  CommRegistry& registry() { return registry_; }
  CommFailureLog& failures() { return failures_; }
  // The shared part of MPI_COMM_WORLD of the ranks that the job was started with.
  std::shared_ptr<const CommShared> world(runtime::Job& job);
  // A communicator of all ranks of the job; no collective call can be made on it.
  const std::shared_ptr<const CommShared>& universe(const runtime::Job& job);
  // Reserves the context number of a communicator that exists already.
  std::shared_ptr<Context> reclaim_context(const runtime::Job& job, std::uint32_t context) const;

 private:
  const std::shared_ptr<ContextNumbers> numbers_ = std::make_shared<ContextNumbers>();
  CommRegistry registry_;
  CommFailureLog failures_;
  std::mutex mutex_;  // guards what follows
  std::shared_ptr<const CommShared> world_, universe_;
};

inline ProcessComms& process_comms(const runtime::Job& job) { return process_part<ProcessComms>(job); }

// A new context number.
std::shared_ptr<Context> fresh_context(runtime::Job& job);

// Makes the shared part of a new communicator; one of its members calls. The context is the lease's number.
std::shared_ptr<const CommShared> make_comm(runtime::Job& job, std::shared_ptr<Context> lease, CommBlueprint blueprint);

// The shared part of a communicator that members identify by its context number: that of another member in this
// process, or a new one. Any thread may call.
std::shared_ptr<const CommShared> find_or_make_comm(runtime::Job& job, CommBlueprint blueprint);

// find_or_make_comm() for a new communicator, in a job of several processes. Each member calls it once.
std::shared_ptr<const CommShared> make_comm_by_number(runtime::Job& job, CommBlueprint blueprint);

// find_or_make_comm() for communicators of spawned ranks and their parents, which are registered in any job. Each
// member calls it.
std::shared_ptr<const CommShared> find_or_make_spawned(runtime::Job& job, CommBlueprint blueprint);

}  // namespace comm
}  // namespace weft::mpi_shim
