#include "mpi_shim/layer/mpi_layer.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "mpi_shim/ampi/migration.hpp"
#include "mpi_shim/attribute/keyval.hpp"
#include "mpi_shim/coll/schedule/deferred.hpp"
#include "mpi_shim/coll/schedule/idup.hpp"
#include "mpi_shim/coll/schedule/schedule.hpp"
#include "mpi_shim/comm/assembly.hpp"
#include "mpi_shim/comm/comm_failures.hpp"
#include "mpi_shim/comm/communicator_assembly.hpp"
#include "mpi_shim/comm/membership.hpp"
#include "mpi_shim/comm/process_comms.hpp"
#include "mpi_shim/dynamic/names.hpp"
#include "mpi_shim/dynamic/parent_info.hpp"
#include "mpi_shim/dynamic/ports.hpp"
#include "mpi_shim/dynamic/published_names.hpp"
#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/entry/thread_level.hpp"
#include "mpi_shim/error/errhandler.hpp"
#include "mpi_shim/error/error_codes.hpp"
#include "mpi_shim/failure/agreement.hpp"
#include "mpi_shim/info/info.hpp"
#include "mpi_shim/io/file.hpp"
#include "mpi_shim/layer/leaks.hpp"
#include "mpi_shim/p2p/buffered_send.hpp"
#include "mpi_shim/p2p/partitioned/partitioned.hpp"
#include "mpi_shim/p2p/point_to_point.hpp"
#include "mpi_shim/p2p/probe.hpp"
#include "mpi_shim/request/completion.hpp"
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/rma/messages.hpp"
#include "mpi_shim/rma/window.hpp"
#include "mpi_shim/session/session.hpp"
#include "mpi_shim/tool/tool.hpp"

namespace weft::mpi_shim {
inline namespace layer {

namespace {

// The types that each module keeps for a rank, and for a process.
constexpr RankPartTable kRankPartTable =
    rank_part_table<Errhandlers, Infos, MatchedMessages, Keyvals, ErrorCodes, io::Files, Migration, rma::Windows,
                    Sessions, OpenedPorts, ToolPart, SendBuffers, ThreadSupport>();
constexpr ProcessPartTable kProcessPartTable =
    process_part_table<ProcessComms, CommunicatorAssemblies, rma::WindowRegistry, io::OpenFiles, PublishedNames>();

// Creates the operations of ranks that arrive from other processes.
struct OperationClass {
  Operation::Kind kind;
  std::unique_ptr<Operation> (*make)();
};
template <typename Class>
std::unique_ptr<Operation> make() {
  return std::make_unique<Class>();
}
// Does not compile where a kind has no class or two.
consteval OperationTable operation_table(const std::array<OperationClass, Operation::kKinds>& classes) {
  OperationTable table{};
  std::array<bool, Operation::kKinds> known{};
  for (const OperationClass& one : classes) {
    const auto kind = static_cast<std::size_t>(one.kind);
    known[kind] = known[kind] ? throw "a kind has two classes" : true;
    table[kind] = one.make;
  }
  return table;
}
constexpr OperationTable kOperationTable =
    operation_table({{{Operation::Kind::generalized, make_generalized},
                      {Operation::Kind::exchange, make_exchange},
                      {Operation::Kind::handshake, make<Handshake>},
                      {Operation::Kind::partitioned_send, make<PartitionedSend>},
                      {Operation::Kind::partitioned_receive, make<PartitionedReceive>},
                      {Operation::Kind::flush, make_flush},
                      {Operation::Kind::collective, make<Schedule>},
                      {Operation::Kind::deferred, make_deferred},
                      {Operation::Kind::duplication, make_duplication},
                      {Operation::Kind::agreement, make<AgreementOperation>}}});

}  // namespace

MpiLayer::MpiLayer(std::unique_ptr<CallSites> sites)
    : ProcessState(kRankPartTable, kProcessPartTable, kOperationTable, std::move(sites)) {}
MpiLayer::~MpiLayer() = default;

std::uint32_t MpiLayer::first_unused_context(const runtime::Job& job) const {
  return part<ProcessComms>().numbers()->used(job);
}

void MpiLayer::skip_contexts(const runtime::Job& job, std::uint32_t first) {
  part<ProcessComms>().numbers()->skip(job, first);
}

void MpiLayer::begin(runtime::Rank& rank) {
  if (rank.job.config().check) {
    // Read by HandleTable::add() and RequestTable::acquire(). Relaxed: each rank stores it before its own calls.
    creations_are_recorded.store(true, std::memory_order_relaxed);
  }
  RankState* const state =
      (rank.world == nullptr ? new_rank_state(rank, part<ProcessComms>().world(rank.job)) : make_spawned(rank))
          .release();
  rank.upper_state = state;
  if (rank.world == nullptr) {
    const auto& firsts = first_of_application;
    const auto after = std::ranges::upper_bound(firsts, number(rank.id));
    state->application = firsts.empty() ? 0 : static_cast<int>(after - firsts.begin()) - 1;
  }
  state->part<Migration>().home_worker =
      static_cast<int>(rank.job.global_number(*rank.worker.load(std::memory_order_relaxed)));
}

void MpiLayer::about_to_move(runtime::Rank& me, bool leaves_process) {
  mpi_shim::about_to_move(*static_cast<RankState*>(me.upper_state), leaves_process);
}

void MpiLayer::just_moved(runtime::Rank& me, bool new_process) {
  mpi_shim::just_moved(*static_cast<RankState*>(me.upper_state), new_process);
}

void MpiLayer::enable_thread_calls() { call_hooks_enabled.store(true, std::memory_order_relaxed); }

void MpiLayer::note_death(runtime::Job& job, ProcessId process, std::uint32_t notice) {
  ProcessComms& comms = part<ProcessComms>();
  comms.failures().note_death(job, comms.registry(), process, notice);
  fail_queries(job, process);
}

void MpiLayer::note_revocation(runtime::Job& /*job*/, std::uint32_t context, std::uint32_t notice) {
  ProcessComms& comms = part<ProcessComms>();
  comms.failures().note_revocation(comms.registry(), context, notice);
}

// A rank without a state has no communicators yet.
runtime::Failure MpiLayer::receive_failure(const runtime::Rank& rank, const runtime::MatchKey& pattern) const {
  const auto* const state = static_cast<const RankState*>(rank.upper_state);
  return state == nullptr ? runtime::Failure::none : mpi_shim::receive_failure(*state, pattern);
}

runtime::Failure MpiLayer::message_failure(runtime::Job& job, const runtime::MatchKey& key,
                                           std::uint32_t notices) const {
  return mpi_shim::message_failure(job, key, notices);
}

void MpiLayer::give_up_matched(runtime::Rank& rank, runtime::Worker& here, std::uint32_t notices) {
  if (auto* const state = static_cast<RankState*>(rank.upper_state); state != nullptr) {
    mpi_shim::give_up_matched(*state, here, notices);
  }
}

void MpiLayer::on_active_message(runtime::Job& job, ProcessId from, std::span<const std::byte> text) {
  std::uint32_t word = 0;
  std::memcpy(&word, text.data(), sizeof word);
  word == kNameMessageId ? serve_names(job, from, text) : rma::serve(job, from, text);
}

void MpiLayer::end(runtime::Rank& rank, int exit_code) {
  std::unique_ptr<RankState> state(static_cast<RankState*>(rank.upper_state));
  if (state->active || state->in_move_callback) {
    const char* const how =
        state->in_world() ? "after MPI_Init and without MPI_Finalize" : "with a session that was not finalized";
    const std::string message = fmt::format("rank {}: ended with exit code {} {}", state->world.rank, exit_code, how);
    if (rank.job.failures() != nullptr) {
      rank.job.end_process(exit_code, message);
    }
    rank.job.abort(exit_code, message);
  }
  if (rank.thread_calls_under_way != 0) {
    rank.job.abort(exit_code, fmt::format("rank {}: ended while {} of its threads are in MPI calls", state->world.rank,
                                          rank.thread_calls_under_way));
  }
  const bool settled = quiesce_requests(*state);
  if (rank.job.config().check) {
    runtime::yield(rank);  // messages sent before MPI_Finalize may still be under way
    const std::vector<Leak> leaks = leaks_of(*state);
    const std::lock_guard lock(mutex_);
    leaks_.add(state->job_rank, leaks, call_sites());
  }
  rank.upper_state = nullptr;
  rank.teams.clear();
  if (!settled) {
    const std::lock_guard lock(mutex_);
    unsettled_.push_back(std::move(state));
  }
}

std::string MpiLayer::context_name(const runtime::Rank& rank, std::uint32_t context) const {
  const auto* const state = static_cast<const RankState*>(rank.upper_state);
  if (state == nullptr) {
    return "an ended rank's communicator";
  }
  const std::uint32_t wanted = (context & ~(kPartitionedContext | kScheduleContext)) / 2;
  if (wanted == state->world.shared->context || wanted == kSelfContext) {
    return wanted == state->world.shared->context ? "MPI_COMM_WORLD" : "MPI_COMM_SELF";
  }
  if (wanted == kUniverseContext) {
    return "what connects worlds";
  }
  std::string name = "a communicator that the rank has freed or not made yet";
  state->comms.for_each([&](const Communicator& comm) {
    if (comm.shared->context == wanted) {
      name = describe(comm);
    }
  });
  return name;
}

// Communicators use even contexts for messages of the program and odd ones for those of collective calls. Among the
// latter is the exchange of MPI_Intercomm_create, which has a tag of the program.
std::optional<std::int32_t> MpiLayer::program_tag(const runtime::MatchKey& key) const {
  if (key.context % 2 == 0) {
    return key.tag;
  }
  return (key.tag & kWordTag) != 0 ? std::optional(key.tag & ~kWordTag) : std::nullopt;
}

std::vector<std::string> MpiLayer::call_places(std::span<const runtime::Rank* const> suspended) const {
  CallSites* const sites = call_sites();
  return sites == nullptr ? UpperLayer::call_places(suspended) : sites->calls_of(suspended);
}

std::string MpiLayer::pending_calls(const runtime::Rank& rank) const {
  auto* const state = static_cast<RankState*>(rank.upper_state);
  if (state == nullptr) {
    return {};
  }
  constexpr std::size_t kShown = 4;
  std::size_t found = 0;
  std::string calls;
  for (const PendingRequest* const request : state->requests.operations) {
    const char* const call = request->operation->call();
    if (call != nullptr && ++found <= kShown) {
      const Communicator* const comm = find_comm(*state, request->comm);
      calls += fmt::format(
          "{}{} on {}", calls.empty() ? "" : ", ", call,
          comm == nullptr ? "a communicator that the rank has freed" : context_name(rank, comm->collective_context()));
    }
  }
  return found <= kShown ? calls : fmt::format("{} and {} more", calls, found - kShown);
}

}  // namespace layer
}  // namespace weft::mpi_shim
