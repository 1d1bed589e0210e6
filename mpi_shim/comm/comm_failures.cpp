#include "mpi_shim/comm/comm_failures.hpp"

#include <memory>

#include "mpi_shim/comm/process_comms.hpp"
#include "mpi_shim/entry/failure_errors.hpp"
#include "mpi_shim/p2p/partitioned/handshake.hpp"
#include "runtime/failure/failures.hpp"

namespace weft::mpi_shim {
inline namespace comm {
namespace {

using runtime::Failure;

// The communicator's number in a message's context: see Communicator::message_context() and its like.
std::uint32_t comm_context(std::uint32_t context) { return (context & ~(kScheduleContext | kPartitionedContext)) / 2; }
bool is_collective(std::uint32_t context) { return (context & 1) != 0; }

// The rank's view of the communicator; null if the program has freed it.
const Communicator* find_by_context(const RankState& me, std::uint32_t context) {
  const Communicator* found = nullptr;
  for (const Communicator* const one : {&me.world, &me.self}) {
    found = one->shared->context == context ? one : found;
  }
  me.comms.for_each([&](const Communicator& one) { found = one.shared->context == context ? &one : found; });
  return found;
}

// The shared part; of an intercommunicator, that of the rank's side.
std::shared_ptr<const CommShared> find_shared(const RankState& me, std::uint32_t context) {
  CommRegistry& registry = process_comms(me.rank->job).registry();
  for (const int side : {0, 1}) {
    if (auto found = registry.find({context, side}); found != nullptr && found->group->rank_of(me.job_rank) >= 0) {
      return found;
    }
  }
  return nullptr;
}

bool is_dead(const RankState& me, int job_rank) {
  runtime::Job& job = me.rank->job;
  return job.failures()->is_dead(job.process_of(job.rank(static_cast<std::uint32_t>(job_rank))));
}

void add_failed(const runtime::Job& job, const Group* group, ProcessId process, std::vector<int>& failed) {
  for (int i = 0; group != nullptr && i < group->size(); ++i) {
    if (job.process_of(job.rank(static_cast<std::uint32_t>(group->job_rank(i)))) == process) {
      failed.push_back(group->job_rank(i));
    }
  }
}

}  // namespace

std::vector<int> failed_members(const RankState& me, const Communicator& comm) {
  std::vector<int> failed;
  if (const runtime::Failures* const failures = me.rank->job.failures(); failures != nullptr) {
    for (const ProcessId process : failures->dead()) {
      add_failed(me.rank->job, comm.shared->group.get(), process, failed);
      add_failed(me.rank->job, comm.shared->remote.get(), process, failed);
    }
  }
  return failed;
}

Failure failure_of_collective(const Communicator& comm) {
  const CommFailures& failures = comm.shared->failures;
  if (!failures.any.load(std::memory_order_acquire)) [[likely]] {  // pairs with CommFailures::note()
    return Failure::none;
  }
  return failures.is_revoked() ? Failure::revoked : Failure::process_failed;
}

void keep_while_used(const RankState& me, const Communicator& comm) {
  bool used = false;
  me.requests.for_each([&](const PendingRequest& request) {
    used |= request.comm == comm.handle && (request.persistent || !request.done());
  });
  if (used) {
    process_comms(me.rank->job).failures().keep(comm.shared);
  }
}

void require_no_failure(const Communicator& comm) {
  if (const Failure why = failure_of_collective(comm); why != Failure::none) [[unlikely]] {
    throw CallFailed{why};
  }
}

Failure receive_failure(const RankState& me, const runtime::MatchKey& pattern) {
  const std::uint32_t context = comm_context(pattern.context);
  if (context == kUniverseContext) {  // sources are ranks of the job
    return pattern.source != runtime::kAnySource && is_dead(me, pattern.source) ? Failure::process_failed
                                                                                : Failure::none;
  }
  const Communicator* const comm = find_by_context(me, context);
  const std::shared_ptr<const CommShared> shared = comm != nullptr ? comm->shared : find_shared(me, context);
  if (shared == nullptr || !shared->failures.any.load(std::memory_order_acquire)) {  // pairs with CommFailures::note()
    return Failure::none;
  }
  if (shared->failures.is_revoked()) {
    return Failure::revoked;
  }
  if (is_collective(pattern.context)) {
    return Failure::process_failed;
  }
  if (pattern.source == runtime::kAnySource) {
    const bool known = comm != nullptr && comm->acknowledged >= failed_members(me, *comm).size();
    return known ? Failure::none : Failure::any_source;
  }
  const Group& peers = shared->remote != nullptr ? *shared->remote : *shared->group;
  return is_dead(me, peers.job_rank(pattern.source)) ? Failure::process_failed : Failure::none;
}

Failure message_failure(runtime::Job& job, const runtime::MatchKey& key, std::uint32_t notices) {
  CommRegistry& registry = process_comms(job).registry();
  const std::uint32_t context = comm_context(key.context);
  for (const int side : {0, 1}) {
    const std::shared_ptr<const CommShared> found = registry.find({context, side});
    if (found != nullptr && (found->failures.revoked_since.load(std::memory_order_relaxed) < notices ||
                             (notices == runtime::kAllNotices && found->failures.is_revoked()))) {
      return Failure::revoked;
    }
    if (found != nullptr && is_collective(key.context) &&
        found->failures.failed_since.load(std::memory_order_relaxed) < notices) {
      return Failure::process_failed;
    }
  }
  return Failure::none;
}

}  // namespace comm
}  // namespace weft::mpi_shim
