// The progress engine of requests: how blocking calls wait, and advance the rank's pending operations meanwhile.
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

// Makes a request of an operation that has begun, and advances it. Every MPI call of the rank that waits advances it
// further.
MPI_Request add_operation(RankState& me, MPI_Comm comm, std::unique_ptr<Operation> operation);
// The same for a persistent operation, which is inactive until MPI_Start calls its start().
MPI_Request add_persistent_operation(RankState& me, MPI_Comm comm, std::unique_ptr<Operation> operation);

// An empty operation of generalized requests, to unpack one into.
std::unique_ptr<Operation> make_generalized();

// Advances an operation that has just begun. If that does not complete it, adds it to the rank's pending operations.
void begin_operation(RankState& me, PendingRequest& request);
// Advances the rank's pending operations as far as they go without suspending.
void advance_operations(RankState& me);
// Suspends until `request` is done, and advances the rank's pending operations meanwhile. Every blocking call of the
// MPI layer waits through this function or those below; only probes have a loop of their own (wait_for_message() in
// p2p/probe.cpp).
void wait_message(RankState& me, runtime::Request& request);
// Suspend until all requests, or one of them, are done. Entries may be null. REQUIRES: at least one is not done.
void wait_all_pending(RankState& me, std::span<PendingRequest* const> requests);
void wait_any_pending(RankState& me, std::span<PendingRequest* const> requests);
// Suspends until the rank's collective operations are complete. Called before a balancing step, in which the rank would
// not advance them while other members wait for it.
void complete_collectives(RankState& me);
// Team::barrier() that advances the rank's pending operations while it waits.
void team_barrier(RankState& me, runtime::Team& team, runtime::Team::Action action = nullptr, void* argument = nullptr);
// The same by the team's flag exchange: posts `member`'s page with `signature`, and suspends until all have posted.
void flag_exchange_barrier(RankState& me, runtime::Team& team, std::uint32_t member, std::uint64_t signature);
// Suspends until `member`'s next broadcast in the team's broadcast ring is posted, or has room. False: it never will,
// since others have come to a barrier instead.
bool await_broadcast(RankState& me, runtime::Team& team, std::uint32_t member, runtime::Awaited what);
// With --survive api. Completes a receive that has just been posted with a failure, if no message can match it any
// more.
[[gnu::noinline, gnu::cold]] void fail_if_unmatchable(RankState& me, runtime::Request& receive);
// With --survive api. Why a message with this key cannot be sent or received: its communicator, which the program may
// have freed, is revoked or has failed. Failure::none if it can.
[[gnu::noinline, gnu::cold]] runtime::Failure known_failure(RankState& me, const runtime::MatchKey& key);
// With --survive api. Posts a receive from MPI_ANY_SOURCE again that had failed because a process died. It fails again
// if a death has not been acknowledged.
[[gnu::noinline, gnu::cold]] void repost_receive(RankState& me, runtime::Request& receive);
// One round of progress, for calls that a program may spin on: advances the pending operations, yields to other ranks,
// and advances them again.
void make_progress(RankState& me);

}  // namespace request
}  // namespace weft::mpi_shim
