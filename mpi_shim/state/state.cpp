#include "mpi_shim/state/state.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include <fmt/format.h>
#include <unwind.h>

#include "mpi_shim/state/process_state.hpp"
#include "runtime/sched/thread_calls.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::mpi_shim {
inline namespace state {

int universe_size = 0;

namespace {

// Ranks read universe_size through an attribute, as a plain int. It is written once in a job, before its ranks can read
// it.
void set_universe_size(int ranks) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (universe_size != ranks) {
    universe_size = ranks;
  }
}

// The job of this process, for threads without a rank.
std::atomic<runtime::Job*> running_job = nullptr;

[[noreturn, gnu::cold]] void refuse_thread(const char* call, const char* why) {
  if (runtime::Job* const job = running_job.load(); job != nullptr) {
    job->abort(1, fmt::format("{}: MPI call from a thread that the rank created: {}", call, why));
  }
  std::fprintf(stderr,
               "%s: no job runs in this process: link the program with weftcc, weftcxx or weftfort, and start it alone "
               "or by weftrun\n",
               call);
  std::exit(1);
}

// An OpenMP thread works for different ranks in turn: the rank is the one whose code is on the stack.
_Unwind_Reason_Code find_rank_of_frame(_Unwind_Context* frame, void* found) {
  const runtime::Job& job = *running_job.load(std::memory_order_relaxed);
  const auto rank = job.program().rank_at(reinterpret_cast<const void*>(_Unwind_GetIP(frame)));
  if (!rank) {
    return _URC_NO_REASON;
  }
  *static_cast<runtime::Rank**>(found) = &job.rank(number(*rank));
  return _URC_NORMAL_STOP;
}

// The rank that the calling thread works for; null if unknown.
runtime::Rank* rank_of_thread() {
  runtime::Rank* rank = static_cast<runtime::Rank*>(runtime::thread_owner());
  if (rank == nullptr && running_job.load() != nullptr) {
    _Unwind_Backtrace(&find_rank_of_frame, &rank);
  }
  return rank;
}

// For a forked child, whose other ranks are in the parent. Takes no lock: a thread that does not exist here may hold
// it.
[[noreturn, gnu::cold]] void refuse_child(const char* call) {
  std::array<char, 300> text{};
  const runtime::RankContext* const rank = runtime::forked_by();
  const int bytes = std::snprintf(text.data(), text.size(),
                                  "weft: rank %d: %s: called in a child that the rank forked, where there is no MPI; "
                                  "the child ends with exit code 1\n",
                                  rank == nullptr ? -1 : static_cast<int>(number(rank->id)), call);
  if (::write(2, text.data(), static_cast<std::size_t>(bytes)) < 0) {
    ::_exit(1);  // nobody reads standard error
  }
  ::_exit(1);
}

// Lets a thread that has no worker act as the worker of its rank, for one call.
[[gnu::cold, gnu::noinline]] RankState& begin_thread_call(const char* call) {
  if (runtime::is_forked_child()) {
    refuse_child(call);
  }
  if (!runtime::resume_call()) {
    runtime::Rank* const rank = rank_of_thread();
    if (rank == nullptr) {
      refuse_thread(call, "nobody knows which rank's");
    }
    if (!rank->threads_allowed) {
      refuse_thread(call,
                    "MPI_THREAD_FUNNELED is provided, where the rank's main thread alone calls MPI; ask "
                    "MPI_Init_thread for MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE");
    }
    runtime::begin_call(*rank);
  }
  const runtime::Rank* const rank = runtime::current_rank();
  if (rank->upper_state == nullptr) {
    refuse_thread(call, "the rank has ended");
  }
  return *static_cast<RankState*>(rank->upper_state);
}

}  // namespace

RankState::RankState(runtime::Rank& owner, std::shared_ptr<const CommShared> world_shared,
                     std::shared_ptr<const CommShared> self_shared)
    : rank(&owner), parts(static_cast<const ProcessState&>(*owner.job.upper_layer()).make_rank_parts()) {
  running_job.store(&owner.job, std::memory_order_relaxed);
  world.shared = std::move(world_shared);
  job_rank = static_cast<int>(number(owner.id));
  world.rank = world.shared->group->rank_of(job_rank);
  world.handle = MPI_COMM_WORLD;
  world.name = "MPI_COMM_WORLD";
  set_universe_size(static_cast<int>(owner.job.universe()));
  self.shared = std::move(self_shared);
  self.handle = MPI_COMM_SELF;
  self.name = "MPI_COMM_SELF";
  if (world.shared->team != nullptr) {
    owner.teams.push_back(world.shared->team.get());
  }
}

RankState::~RankState() = default;

RankState& rank_state(const char* call) {
  const runtime::Worker* const worker = runtime::Worker::current();
  const runtime::RankContext* const rank = worker == nullptr ? nullptr : worker->running();
  if (rank == nullptr || rank->upper_state == nullptr) [[unlikely]] {
    return begin_thread_call(call);
  }
  return *static_cast<RankState*>(rank->upper_state);
}

int query_state(int (*query)(const RankState& me), int unknown) {
  if (runtime::is_forked_child()) {
    return unknown;
  }
  const bool has_no_worker = runtime::Worker::current() == nullptr;
  if (has_no_worker && runtime::current_rank() == nullptr) {
    const runtime::Rank* const rank = rank_of_thread();
    if (rank == nullptr || !rank->threads_allowed) {
      return unknown;
    }
  }
  const int answer = query(rank_state());
  if (has_no_worker) {
    runtime::leave_call();
  }
  return answer;
}

void record_creation(std::uintptr_t handle) {
  const runtime::Rank* const rank = runtime::current_rank();
  // No call creates the handles of a rank that begins, and without --check nothing is recorded.
  if (rank == nullptr || rank->upper_state == nullptr || !rank->job.config().check) {
    return;
  }
  const CallSites* const sites = process_state(rank->job).call_sites();
  auto& me = *static_cast<RankState*>(rank->upper_state);
  me.creations.insert_or_assign(handle, Creation{rank->call, sites == nullptr ? 0 : sites->caller()});
}

const std::shared_ptr<const Group>* find_group(RankState& me, MPI_Group group) {
  static const std::shared_ptr<const Group> empty = Group::range(0, 0);
  return group == MPI_GROUP_EMPTY ? &empty : me.groups.find(group);
}

MPI_Group new_group(RankState& me, std::shared_ptr<const Group> group) {
  if (group->size() == 0) {
    return MPI_GROUP_EMPTY;
  }
  return me.groups.add<MPI_Group>(std::make_unique<std::shared_ptr<const Group>>(std::move(group)));
}

Attributes& datatype_attributes(RankState& me, const Datatype& type) {
  if (type.predefined()) {
    return me.predefined_annotations[type.handle].attributes;
  }
  return (*me.datatypes.find(type.handle))->attributes;
}

}  // namespace state
}  // namespace weft::mpi_shim
