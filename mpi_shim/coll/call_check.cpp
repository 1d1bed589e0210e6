#include "mpi_shim/coll/call_check.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "mpi_shim/coll/call_mismatch.hpp"
#include "mpi_shim/request/progress.hpp"
#include "runtime/sync/broadcast_ring.hpp"

namespace weft::mpi_shim {
inline namespace coll {
namespace {

using runtime::Team;

std::uint64_t head(Collective call, int root) {
  return static_cast<std::uint64_t>(call) << 58 | static_cast<std::uint64_t>(static_cast<std::uint32_t>(root)) << 32;
}

// Stored in the result, after the bytes that actions may use.
bool& signatures_differ(Team& team) { return *reinterpret_cast<bool*>(team.result().bytes + kResultBytes); }

// What the member posts at a barrier. Equal for members that make the same call after the same broadcasts of the ring.
std::uint64_t signature_with_broadcasts(const runtime::BroadcastRing* ring, std::uint32_t me, CallSignature signature) {
  return ring == nullptr ? signature.bits() : signature.bits() ^ ring->hash(me);
}

// A broadcast is posted in the ring that the member, which is about to enter a barrier, has not taken part in.
bool has_missed_broadcast(const runtime::BroadcastRing* ring, std::uint32_t me) {
  return ring != nullptr && ring->is_posted(me);
}

void compare_signatures(Team& team, void*) { signatures_match(team); }

// Barrier action. The result is the number of a member that posted something else than 0, or the team's size.
void find_failure(Team& team, void*) {
  std::uint32_t at = team.size();
  for (std::uint32_t i = 0; i < team.size(); ++i) {
    at = team.signature(i) != 0 ? i : at;
  }
  std::memcpy(team.result().bytes, &at, sizeof at);
}

bool exchange_signatures(const Entry& entry, const Communicator& comm, CallSignature signature) {
  Team& team = *comm.team();
  const auto me = static_cast<std::uint32_t>(comm.rank);
  flag_exchange_barrier(entry.me, team, me, signature_with_broadcasts(team.broadcast_ring_if_made(), me, signature));
  const runtime::FlagExchange& flags = *team.flag_exchange();
  std::uint64_t differs = 0;
  for (std::uint32_t i = 1; i < team.size(); ++i) {
    differs |= flags.signature(me, i) ^ flags.signature(me, 0);
  }
  return differs == 0;
}

}  // namespace

CallSignature CallSignature::of_bytes(Collective call, int root, std::size_t bytes) {
  return CallSignature(head(call, root) | std::min<std::size_t>(bytes, std::numeric_limits<std::uint32_t>::max()));
}

CallSignature CallSignature::of_reduction(Collective call, int root, MPI_Op op, const Datatype& type,
                                          std::uint64_t elements) {
  // Handles of user-defined operations are numbered by each rank for itself, so they cannot be compared.
  const std::uint64_t operation = is_predefined(op) ? handle_value(op) : 0x40;
  const std::uint64_t hashed = elements * 0x9e3779b97f4a7c15U >> 48;
  return CallSignature(head(call, root) | operation << 24 | static_cast<std::uint64_t>(type.basic()) << 16 | hashed);
}

bool signatures_match(Team& team) {
  const std::uint64_t* const signatures = &team.signature(0);
  std::uint64_t differs = 0;
  for (std::uint32_t i = 1; i < team.size(); ++i) {
    differs |= signatures[i] ^ signatures[0];
  }
  signatures_differ(team) = differs != 0;
  return differs == 0;
}

bool signature_barrier(const Entry& entry, const Communicator& comm, CallSignature signature, Team::Action action,
                       void* argument) {
  Team& team = *comm.team();
  const auto me = static_cast<std::uint32_t>(comm.rank);
  if (team.flag_exchange() != nullptr) {
    const bool agreed = exchange_signatures(entry, comm, signature);
    if (!agreed || action == nullptr) {
      return agreed;
    }
  }
  team.signature(me) = signature_with_broadcasts(team.broadcast_ring_if_made(), me, signature);
  team_barrier(entry.me, team, action != nullptr ? action : compare_signatures, argument);
  return !signatures_differ(team);
}

int checked_barrier(const Entry& entry, const Communicator& comm, CallSignature signature, Team::Action action,
                    void* argument) {
  Team& team = *comm.team();
  const auto me = static_cast<std::uint32_t>(comm.rank);
  if (has_missed_broadcast(team.broadcast_ring_if_made(), me)) [[unlikely]] {
    return raise_broadcast_mismatch(entry, comm, signature);
  }
  while (!signature_barrier(entry, comm, signature, action, argument)) {
    if (const auto error = resolve_mismatch(entry, comm, signature)) {
      return *error;
    }
  }
  return MPI_SUCCESS;
}

int checked_flag_exchange(const Entry& entry, const Communicator& comm, CallSignature signature) {
  if (has_missed_broadcast(comm.team()->broadcast_ring_if_made(), static_cast<std::uint32_t>(comm.rank))) [[unlikely]] {
    return raise_broadcast_mismatch(entry, comm, signature);
  }
  while (!exchange_signatures(entry, comm, signature)) {
    if (const auto error = resolve_mismatch(entry, comm, signature)) {
      return *error;
    }
    // resolve_mismatch() made two barriers, so the member's page is the current one again. The next post shows the
    // other page: copy the data there.
    runtime::FlagExchange& flags = *comm.team()->flag_exchange();
    const auto me = static_cast<std::uint32_t>(comm.rank);
    std::memcpy(flags.next_page(me), flags.page(me, me), runtime::FlagExchange::kBytes);
  }
  return MPI_SUCCESS;
}

int barrier_after_operation(const Entry& entry, const Communicator& comm, bool failed) {
  Team& team = *comm.team();
  const auto me = static_cast<std::uint32_t>(comm.rank);
  std::uint32_t at = team.size();
  if (team.flag_exchange() != nullptr) {
    flag_exchange_barrier(entry.me, team, me, failed ? 1 : 0);
    for (std::uint32_t i = 0; i < team.size(); ++i) {
      at = team.flag_exchange()->signature(me, i) != 0 ? i : at;
    }
  } else {
    team.signature(me) = failed ? 1 : 0;
    team_barrier(entry.me, team, find_failure);
    std::memcpy(&at, team.result().bytes, sizeof at);
  }
  return at == team.size() ? MPI_SUCCESS
                           : entry.raise(comm.handle, MPI_ERR_OTHER,
                                         "an exception left the user's operation at rank {} of the group", at);
}

void next_barrier(const Entry& entry, const Communicator& comm) {
  Team& team = *comm.team();
  if (team.flag_exchange() != nullptr) {
    flag_exchange_barrier(entry.me, team, static_cast<std::uint32_t>(comm.rank), 0);
  } else {
    team_barrier(entry.me, team);
  }
}

}  // namespace coll
}  // namespace weft::mpi_shim
