// Operations behind requests, and how calls wait: whoever waits keeps the rank's pending operations moving.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "mpi_shim/request/request.hpp"
#include "mpi_shim/state/state.hpp"
#include "runtime/sync/broadcast_ring.hpp"
#include "runtime/sync/team.hpp"

namespace weft::mpi_shim {
inline namespace request {

// Puts an operation that has begun behind a request handle, and advances it. Whatever MPI call waits advances it
// further.
MPI_Request add_operation(RankState& me, MPI_Comm comm, std::unique_ptr<Operation> operation);
// The same for a persistent operation, inactive until MPI_Start calls its start().
MPI_Request add_persistent_operation(RankState& me, MPI_Comm comm, std::unique_ptr<Operation> operation);

// A generalized request to be unpacked.
std::unique_ptr<Operation> make_generalized();

// Advances an operation that has just begun; the rank's calls go on with it unless that completes it.
void begin_operation(RankState& me, PendingRequest& request);
// Advances the rank's pending operations as far as they go without suspending.
void advance_operations(RankState& me);
// Suspends until `request` is done, and keeps the rank's pending operations moving meanwhile: every blocking call of
// the layer waits through this one or those below.
void wait_message(RankState& me, runtime::Request& request);
// Suspends until all / one of the requests are done; entries may be null, at least one is not done.
void wait_all_pending(RankState& me, std::span<PendingRequest* const> requests);
void wait_any_pending(RankState& me, std::span<PendingRequest* const> requests);
// Suspends until the rank's collective operations are complete, before a balancing step: once the rank waits there, the
// other members of their communicators could wait for it in vain.
void complete_collectives(RankState& me);
// Team::barrier() that keeps the rank's pending operations moving.
void team_barrier(RankState& me, runtime::Team& team, runtime::Team::Action action = nullptr, void* argument = nullptr);
// The same at the team's flag exchange: posts `member`'s page with `mark`, and suspends until all have posted.
void flag_exchange_barrier(RankState& me, runtime::Team& team, std::uint32_t member, std::uint64_t mark);
// Suspends until `member`'s broadcast in the team's stream can go on; false when it never will, as others have come to
// a barrier before it.
bool await_streamed(RankState& me, runtime::Team& team, std::uint32_t member, runtime::Awaited what);
// With --survive api. A receive that has just been posted is over if no message can come to it any more.
[[gnu::noinline, gnu::cold]] void fail_if_hopeless(RankState& me, runtime::Request& receive);
// Why a message with this key is never to be: its communicator is revoked, which the program may have freed.
[[gnu::noinline, gnu::cold]] runtime::Failure known_failure(RankState& me, const runtime::MatchKey& key);
// A receive from anybody that was told of a death goes on: it looks for a message, and fails again where a death has
// not been acknowledged.
[[gnu::noinline, gnu::cold]] void receive_again(RankState& me, runtime::Request& receive);
// One round for calls that a program may spin on: advances the pending operations, then yields.
void make_progress(RankState& me);

}  // namespace request
}  // namespace weft::mpi_shim
