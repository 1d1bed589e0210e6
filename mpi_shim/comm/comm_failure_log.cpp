#include "mpi_shim/comm/comm_failure_log.hpp"

#include "mpi_shim/comm/communicator.hpp"

namespace weft::mpi_shim {
inline namespace comm {
namespace {

bool has_member_in(const runtime::Job& job, const Group* group, ProcessId process) {
  for (int i = 0; group != nullptr && i < group->size(); ++i) {
    if (runtime::Job::process_of(job.rank(static_cast<std::uint32_t>(group->job_rank(i)))) == process) {
      return true;
    }
  }
  return false;
}

void mark_death(const runtime::Job& job, const CommShared& comm, ProcessId process, std::uint32_t notice) {
  if (has_member_in(job, comm.group.get(), process) || has_member_in(job, comm.remote.get(), process)) {
    comm.failures.note(comm.failures.failed_since, notice);
  }
}

void mark_revocation(const CommShared& comm, std::uint32_t context, std::uint32_t notice) {
  if (comm.context == context) {
    comm.failures.revoke_here();
    comm.failures.note(comm.failures.revoked_since, notice);
  }
}

}  // namespace

void CommFailureLog::note_death(const runtime::Job& job, CommRegistry& comms, ProcessId process, std::uint32_t notice) {
  {
    const std::lock_guard lock(mutex_);
    deaths_.emplace_back(process, notice);
  }
  comms.for_each([&](const CommShared& comm) { mark_death(job, comm, process, notice); });
}

void CommFailureLog::note_revocation(CommRegistry& comms, std::uint32_t context, std::uint32_t notice) {
  {
    const std::lock_guard lock(mutex_);
    revocations_.emplace_back(context, notice);
  }
  comms.for_each([&](const CommShared& comm) { mark_revocation(comm, context, notice); });
}

void CommFailureLog::keep(std::shared_ptr<const CommShared> comm) {
  const std::lock_guard lock(mutex_);
  freed_comms_.push_back(std::move(comm));
}

void CommFailureLog::apply_to(const runtime::Job& job, const CommShared& comm) {
  const std::lock_guard lock(mutex_);
  for (const auto& [process, notice] : deaths_) {
    mark_death(job, comm, process, notice);
  }
  for (const auto& [context, notice] : revocations_) {
    mark_revocation(comm, context, notice);
  }
}

}  // namespace comm
}  // namespace weft::mpi_shim
