// With --survive api: what the failures that a process knows of mean for a rank's communicators.
#pragma once

#include <vector>

#include "mpi_shim/state/state.hpp"
#include "runtime/p2p/request.hpp"

namespace weft::mpi_shim {
inline namespace comm {

// The members that have died, as far as this process knows, of both groups of an intercommunicator: ranks of the job,
// in the order in which their processes have died.
std::vector<int> failed_members(const RankState& me, const Communicator& comm);

// Why a collective call on it, or a part of one, fails; Failure::none: it need not.
runtime::Failure failure_of_collective(const Communicator& comm);

// Before the program's handle goes: requests that are still under way may fail some day.
void keep_while_used(const RankState& me, const Communicator& comm);

// Throws CallFailed where there is such a reason.
void require_no_failure(const Communicator& comm);

// runtime::UpperLayer's of the same names.
runtime::Failure receive_failure(const RankState& me, const runtime::MatchKey& pattern);
runtime::Failure message_failure(runtime::Job& job, const runtime::MatchKey& key, std::uint32_t notices);

}  // namespace comm
}  // namespace weft::mpi_shim
