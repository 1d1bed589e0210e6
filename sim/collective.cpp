#include "sim/collective.hpp"

#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>

#include "sim/call_steps.hpp"

namespace weft::sim {
namespace {

// As in mpi_shim/coll/schedule/deferred.cpp: nonblocking calls with longer vectors use messages.
constexpr std::uint64_t kLongestDeferred = 512;

// An upper bound of the nonblocking calls that one rank has pending at once: each needs its own request slot.
std::uint32_t most_pending(const Workload& workload) {
  std::size_t most = 0;
  for (const Template& pattern : workload.templates) {
    std::set<std::uint16_t> slots;
    for (const Action& action : std::span(workload.actions).subspan(pattern.first_action, pattern.actions)) {
      if (action.kind == ActionKind::collective && action.request != kBlockingSlot) {
        slots.insert(action.request);
      }
    }
    most = std::max(most, slots.size());
  }
  return static_cast<std::uint32_t>(most);
}

// The next number of a member, from 0 on.
std::uint32_t next_of(std::vector<std::uint32_t>& numbers, std::uint32_t member) {
  numbers.resize(std::max<std::size_t>(numbers.size(), member + std::size_t{1}));
  return numbers[member]++;
}

}  // namespace

Collectives::Collectives(const Workload& workload, const Platform& platform, SimState& state, Messaging& messaging)
    : workload_(workload),
      cost_(platform.in_memory),
      copy_per_byte_(platform.near[static_cast<std::size_t>(lb::Distance::kSameNuma)].copy_per_byte),
      state_(state),
      messaging_(messaging),
      comms_(workload.comms.size()),
      lanes_(most_pending(workload)),
      requests_(workload.streams.size()) {
  for (std::size_t i = 1; i < comms_.size(); ++i) {
    const Communicator& listed = workload.comms[i];
    const auto first = workload.members.begin() + static_cast<std::ptrdiff_t>(listed.first_member);
    Comm& comm = comms_[i];
    comm.members.assign(first, first + static_cast<std::ptrdiff_t>(listed.members));
    for (std::uint32_t member = 0; member < comm.members.size(); ++member) {
      comm.numbers.emplace_back(comm.members[member], member);
    }
    std::ranges::sort(comm.numbers);
  }
}

std::uint32_t Collectives::size_of(std::uint32_t comm) const {
  return static_cast<std::uint32_t>(comm == 0 ? state_.ranks.size() : comms_[comm].members.size());
}

std::uint32_t Collectives::rank_of(std::uint32_t comm, std::uint32_t member) const {
  return comm == 0 ? member : comms_[comm].members[member];
}

std::uint32_t Collectives::member_of(std::uint32_t comm, std::uint32_t rank) const {
  if (comm == 0) {
    return rank;
  }
  const auto& numbers = comms_[comm].numbers;
  const auto found = std::ranges::lower_bound(numbers, std::pair(rank, 0U));
  if (found == numbers.end() || found->first != rank) {
    throw WorkloadError(
        fmt::format("rank {} makes a collective call of communicator {}, of which it is no member", rank, comm));
  }
  return found->second;
}

void Collectives::find_locality(std::uint32_t comm) {
  std::set<std::uint32_t> processes;
  std::set<std::uint32_t> workers;
  for (std::uint32_t member = 0; member < size_of(comm); ++member) {
    const std::uint32_t worker = state_.homes[rank_of(comm, member)];
    if (workers.insert(worker).second) {
      processes.insert(state_.places[worker].process);
    }
  }
  comms_[comm].locality_known = true;
  comms_[comm].in_memory = processes.size() == 1;
  comms_[comm].workers = static_cast<std::uint32_t>(workers.size());
}

bool Collectives::is_in_memory(std::uint32_t comm) {
  if (!comms_[comm].locality_known) {
    find_locality(comm);
  }
  return comms_[comm].in_memory;
}

void Collectives::invalidate_locality() {
  for (Comm& comm : comms_) {
    comm.locality_known = false;
  }
}

MemoryCall Collectives::memory_call(std::uint32_t rank, const Action& action) const {
  const CollectiveCall& call = workload_.calls[action.index];
  return {.call = call,
          .counts = std::span(workload_.counts).subspan(call.first_count, call.counts),
          .bytes = action.value,
          .member = member_of(call.comm, rank),
          .size = size_of(call.comm)};
}

std::optional<Seconds> Collectives::work_between_barriers(std::uint32_t rank, const Action& action) const {
  const MemoryCall call = memory_call(rank, action);
  if (!has_second_barrier(call)) {
    return std::nullopt;
  }
  const ColdCost cold = state_.cold_cost(state_.worker_of(rank), state_.ranks[rank]);
  const Seconds copy_per_byte = std::max(copy_per_byte_, cold.copy_per_byte);
  return static_cast<double>(bytes_copied(call)) * copy_per_byte +
         static_cast<double>(bytes_combined(call)) * cost_.per_byte;
}

bool Collectives::runs_in_memory(std::uint32_t rank, const Action& action) {
  const CollectiveCall& call = workload_.calls[action.index];
  if (!is_in_memory(call.comm)) {
    return false;
  }
  const bool is_deferred = call.kind == CollectiveKind::barrier || call.kind == CollectiveKind::allreduce ||
                           call.kind == CollectiveKind::reduce_scatter;
  return action.request == kBlockingSlot ||
         (is_deferred && action.detail == 0 && bytes_combined(memory_call(rank, action)) <= kLongestDeferred);
}

std::uint32_t Collectives::channel(std::uint32_t comm, std::uint32_t lane, std::uint64_t ends) {
  const auto [at, is_new] = channels_[{comm, lane}].try_emplace(ends);
  if (is_new) {
    at->second = messaging_.add_channels(1);
    messaging_.set_receiver(at->second, rank_of(comm, static_cast<std::uint32_t>(ends)));
  }
  return at->second;
}

const CallProgram& Collectives::find_program(std::uint32_t member, const Action& action, std::uint32_t lane) {
  std::unique_ptr<CallProgram>& program = programs_[{action.value, action.index, member, lane}];
  if (program == nullptr) {
    const CollectiveCall& call = workload_.calls[action.index];
    const MemberCall as_member{.call = call,
                               .counts = std::span(workload_.counts).subspan(call.first_count, call.counts),
                               .bytes = action.value,
                               .member = {.number = member, .size = size_of(call.comm)}};
    program = std::make_unique<CallProgram>(write_steps(as_member, {}, [&](std::uint32_t from, std::uint32_t to) {
      return channel(call.comm, lane, std::uint64_t{from} << 32 | to);
    }));
  }
  return *program;
}

const Action* Collectives::program(std::uint32_t rank, const Action& action) {
  const CallProgram& program = find_program(member_of(workload_.calls[action.index].comm, rank), action, 0);
  if (requests_[rank] < program.requests) {
    state_.ranks[rank].call_requests = messaging_.add_requests(program.requests);
    requests_[rank] = program.requests;
  }
  return program.actions.data();
}

// A member's calls take the lanes in turn. There are as many lanes as calls that can be pending at once, so two
// pending calls share a lane only if calls between them were completed before the first of the two. Their messages may
// then be exchanged.
const CallProgram& Collectives::program_of_next(std::uint32_t rank, const Action& action) {
  const std::uint32_t comm = workload_.calls[action.index].comm;
  const std::uint32_t member = member_of(comm, rank);
  const std::uint32_t lane = action.detail != 0
                                 ? action.detail
                                 : kPersistentNumbers + 1 + next_of(comms_[comm].calls_by_messages, member) % lanes_;
  return find_program(member, action, lane);
}

void Collectives::arrive(std::uint32_t rank, const Action& action) {
  const std::uint32_t comm = workload_.calls[action.index].comm;
  if (count_arrival(comms_[comm].blocking_barrier, rank, action)) {
    release(comms_[comm].blocking_barrier, comm);
    comms_[comm].blocking_barrier = {};
  }
}

void Collectives::arrive(const MessageEnd& end, const Action& action) {
  const std::uint32_t number = workload_.calls[action.index].comm;
  const std::uint32_t member = member_of(number, end.rank);
  Comm& comm = comms_[number];
  messaging_.request(end.request) = {.done = Request::kPending};
  const bool blocks = action.request == kBlockingSlot;
  const std::uint32_t call = blocks ? 0 : next_of(comm.barriers_joined, member);
  InMemoryBarrier& barrier = blocks ? comm.blocking_barrier : comm.pending_barriers[call];
  barrier.ends.push_back(end);
  if (count_arrival(barrier, end.rank, action)) {
    release(barrier, number);
    blocks ? void(comm.blocking_barrier = {}) : void(comm.pending_barriers.erase(call));
  }
}

bool Collectives::count_arrival(InMemoryBarrier& barrier, std::uint32_t rank, const Action& action) {
  const MemoryCall call = memory_call(rank, action);
  if (action.request != kBlockingSlot || !has_second_barrier(call)) {
    barrier.bytes = std::max(barrier.bytes, bytes_combined(call));
  }
  barrier.latest = std::max(barrier.latest, state_.worker_of(rank).now);
  return ++barrier.arrived == call.size;
}

void Collectives::release(const InMemoryBarrier& barrier, std::uint32_t number) {
  const Comm& comm = comms_[number];
  const Seconds over = barrier.latest + cost_.step + static_cast<double>(size_of(number)) * cost_.member +
                       static_cast<double>(comm.workers) * cost_.worker +
                       static_cast<double>(barrier.bytes) * size_of(number) * cost_.per_byte;
  std::set<std::uint32_t> by_request;
  for (const MessageEnd& of_rank : barrier.ends) {
    by_request.insert(of_rank.rank);
    messaging_.complete(of_rank, over);
  }
  for (std::uint32_t member = 0; member < size_of(number); ++member) {
    if (by_request.empty() || !by_request.contains(rank_of(number, member))) {
      state_.events.add(over, SimEventKind::wake, rank_of(number, member));
    }
  }
}

}  // namespace weft::sim
