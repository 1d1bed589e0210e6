// With --survive api: which operations on a rank's communicators fail because of the failures that this process knows.
#pragma once

#include <vector>

#include "mpi_shim/state/state.hpp"
#include "runtime/p2p/request.hpp"

namespace weft::mpi_shim {
inline namespace comm {

// The members that have died, as far as this process knows, of both groups of an intercommunicator. They are ranks of
// the job, in the order in which their processes have died.
std::vector<int> failed_members(const RankState& me, const Communicator& comm);

// Why a collective call on the communicator fails; Failure::none if it does not.
runtime::Failure failure_of_collective(const Communicator& comm);

// Called before the program's handle is freed: keeps the communicator alive if requests on it may still fail.
void keep_while_used(const RankState& me, const Communicator& comm);

// Throws CallFailed if failure_of_collective() is not none.
void require_no_failure(const Communicator& comm);

// Implement the functions of the same names of runtime::UpperLayer.
runtime::Failure receive_failure(const RankState& me, const runtime::MatchKey& pattern);
runtime::Failure message_failure(runtime::Job& job, const runtime::MatchKey& key, std::uint32_t notices);

}  // namespace comm
}  // namespace weft::mpi_shim
