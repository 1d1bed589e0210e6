#include "sim/collective.hpp"

#include <algorithm>
#include <set>
#include <span>

#include <fmt/format.h>

#include "sim/call_steps.hpp"

namespace weft::sim {

Collectives::Collectives(const Workload& workload, const Platform& platform, SimState& state, Messaging& messaging)
    : workload_(workload),
      cost_(platform.in_memory),
      state_(state),
      messaging_(messaging),
      comms_(workload.comms.size()),
      channels_(workload.comms.size()),
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

void Collectives::find_places(std::uint32_t comm) {
  std::set<std::uint32_t> processes;
  std::set<std::uint32_t> workers;
  for (std::uint32_t member = 0; member < size_of(comm); ++member) {
    const std::uint32_t worker = state_.homes[rank_of(comm, member)];
    if (workers.insert(worker).second) {
      processes.insert(state_.places[worker].process);
    }
  }
  comms_[comm].places_known = true;
  comms_[comm].in_memory = processes.size() == 1;
  comms_[comm].workers = static_cast<std::uint32_t>(workers.size());
}

bool Collectives::is_in_memory(std::uint32_t comm) {
  if (!comms_[comm].places_known) {
    find_places(comm);
  }
  return comms_[comm].in_memory;
}

void Collectives::forget_places() {
  for (Comm& comm : comms_) {
    comm.places_known = false;
  }
}

std::uint32_t Collectives::channel(std::uint32_t comm, std::uint32_t from, std::uint32_t to) {
  const auto [at, is_new] = channels_[comm].try_emplace(std::uint64_t{from} << 32 | to);
  if (is_new) {
    at->second = messaging_.add_channels(1);
    messaging_.set_receiver(at->second, rank_of(comm, to));
  }
  return at->second;
}

CallProgram Collectives::make_program(std::uint32_t comm, std::uint32_t member, const Action& action) {
  const CollectiveCall& call = workload_.calls[action.index];
  const MemberCall as_member{.call = call,
                             .counts = std::span(workload_.counts).subspan(call.first_count, call.counts),
                             .bytes = action.value,
                             .member = {.number = member, .size = size_of(comm)}};
  return write_steps(as_member, {}, [&](std::uint32_t from, std::uint32_t to) { return channel(comm, from, to); });
}

const Action* Collectives::program(std::uint32_t rank, const Action& action) {
  const std::uint32_t comm = workload_.calls[action.index].comm;
  const std::uint32_t member = member_of(comm, rank);
  std::unique_ptr<CallProgram>& program = programs_[{action.value, action.index, member}];
  if (program == nullptr) {
    program = std::make_unique<CallProgram>(make_program(comm, member, action));
  }
  if (requests_[rank] < program->requests) {
    state_.ranks[rank].call_requests = messaging_.add_requests(program->requests);
    requests_[rank] = program->requests;
  }
  return program->actions.data();
}

void Collectives::arrive(std::uint32_t rank, const Action& action, Seconds now) {
  const std::uint32_t number = workload_.calls[action.index].comm;
  member_of(number, rank);
  Comm& comm = comms_[number];
  comm.bytes = std::max(comm.bytes, action.value);
  comm.latest = std::max(comm.latest, now);
  if (++comm.arrived < size_of(number)) {
    return;
  }
  const Seconds over = comm.latest + cost_.step + static_cast<double>(size_of(number)) * cost_.member +
                       static_cast<double>(comm.workers) * cost_.worker +
                       static_cast<double>(comm.bytes) * size_of(number) / comm.workers * cost_.per_byte;
  for (std::uint32_t member = 0; member < size_of(number); ++member) {
    state_.events.add(over, EventKind::wake, rank_of(number, member));
  }
  comm.arrived = 0;
  comm.bytes = 0;
  comm.latest = 0.0;
}

}  // namespace weft::sim
