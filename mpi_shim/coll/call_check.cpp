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

// Behind the result's data.
bool& signatures_differ(Team& team) { return *reinterpret_cast<bool*>(team.result().bytes + kResultBytes); }

// What the member says at a barrier: it agrees with members that are to do the same and have been through the same
// broadcasts in the stream.
std::uint64_t signature_with_broadcasts(const runtime::BroadcastRing* stream, std::uint32_t me,
                                        CallSignature signature) {
  return stream == nullptr ? signature.bits() : signature.bits() ^ stream->hash(me);
}

// Others have been through a broadcast that the member, about to meet them, has not come to.
bool overtaken(const runtime::BroadcastRing* stream, std::uint32_t me) {
  return stream != nullptr && stream->posted(me);
}

void only_compare(Team& team, void*) { agree(team); }

// The result is the number of a member that says something else than 0.
void find_failure(Team& team, void*) {
  std::uint32_t at = team.size();
  for (std::uint32_t i = 0; i < team.size(); ++i) {
    at = team.mark(i) != 0 ? i : at;
  }
  std::memcpy(team.result().bytes, &at, sizeof at);
}

bool post_once(const Entry& entry, const Communicator& comm, CallSignature signature) {
  Team& team = *comm.team();
  const auto me = static_cast<std::uint32_t>(comm.rank);
  flag_exchange_barrier(entry.me, team, me, signature_with_broadcasts(team.broadcast_ring_if_made(), me, signature));
  const runtime::FlagExchange& flags = *team.flag_exchange();
  std::uint64_t differs = 0;
  for (std::uint32_t i = 1; i < team.size(); ++i) {
    differs |= flags.mark(me, i) ^ flags.mark(me, 0);
  }
  return differs == 0;
}

}  // namespace

CallSignature CallSignature::of_bytes(Collective call, int root, std::size_t bytes) {
  return CallSignature(head(call, root) | std::min<std::size_t>(bytes, std::numeric_limits<std::uint32_t>::max()));
}

CallSignature CallSignature::of_reduction(Collective call, int root, MPI_Op op, const Datatype& type,
                                          std::uint64_t elements) {
  // A user's handle says nothing about the others' ones.
  const std::uint64_t operation = is_predefined(op) ? handle_value(op) : 0x40;
  const std::uint64_t hashed = elements * 0x9e3779b97f4a7c15U >> 48;
  return CallSignature(head(call, root) | operation << 24 | static_cast<std::uint64_t>(type.basic()) << 16 | hashed);
}

bool agree(Team& team) {
  const std::uint64_t* const marks = &team.mark(0);
  std::uint64_t differs = 0;
  for (std::uint32_t i = 1; i < team.size(); ++i) {
    differs |= marks[i] ^ marks[0];
  }
  signatures_differ(team) = differs != 0;
  return differs == 0;
}

bool signature_barrier(const Entry& entry, const Communicator& comm, CallSignature signature, Team::Action action,
                       void* argument) {
  Team& team = *comm.team();
  const auto me = static_cast<std::uint32_t>(comm.rank);
  if (team.flag_exchange() != nullptr) {
    const bool agreed = post_once(entry, comm, signature);
    if (!agreed || action == nullptr) {
      return agreed;
    }
  }
  team.mark(me) = signature_with_broadcasts(team.broadcast_ring_if_made(), me, signature);
  team_barrier(entry.me, team, action != nullptr ? action : only_compare, argument);
  return !signatures_differ(team);
}

int checked_barrier(const Entry& entry, const Communicator& comm, CallSignature signature, Team::Action action,
                    void* argument) {
  Team& team = *comm.team();
  const auto me = static_cast<std::uint32_t>(comm.rank);
  if (overtaken(team.broadcast_ring_if_made(), me)) [[unlikely]] {
    return refuse_streamed(entry, comm, signature);
  }
  while (!signature_barrier(entry, comm, signature, action, argument)) {
    if (const auto error = resolve_mismatch(entry, comm, signature)) {
      return *error;
    }
  }
  return MPI_SUCCESS;
}

int post_checked(const Entry& entry, const Communicator& comm, CallSignature signature) {
  if (overtaken(comm.team()->broadcast_ring_if_made(), static_cast<std::uint32_t>(comm.rank))) [[unlikely]] {
    return refuse_streamed(entry, comm, signature);
  }
  while (!post_once(entry, comm, signature)) {
    if (const auto error = resolve_mismatch(entry, comm, signature)) {
      return *error;
    }
    // Two barriers later its page lies where it was, and the next one is the other.
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
      at = team.flag_exchange()->mark(me, i) != 0 ? i : at;
    }
  } else {
    team.mark(me) = failed ? 1 : 0;
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
