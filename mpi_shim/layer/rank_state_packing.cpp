// Packs a rank's MPI state when the rank moves to another process or is written to a checkpoint.
#include <map>
#include <memory>
#include <string>

#include "mpi_shim/comm/membership.hpp"
#include "mpi_shim/comm/process_comms.hpp"
#include "mpi_shim/layer/mpi_layer.hpp"
#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace layer {

namespace {

void pup_annotations(pup::Puper& p, std::map<MPI_Datatype, DatatypeAnnotations>& marks) {
  auto count = static_cast<std::uint64_t>(marks.size());
  p | count;
  for (auto mark = marks.begin(); count > 0; --count) {
    MPI_Datatype type = p.unpacking() ? MPI_DATATYPE_NULL : mark->first;
    pup::same_address(p, type);
    p | (p.unpacking() ? marks[type] : mark++->second);
  }
}

// Unpacking fills a new state, in whichever process the rank goes on. A packed state can only be destroyed.
void pup_state(pup::Puper& p, RankState& me) {
  p | me.active | me.initialized | me.finalized | me.world | me.self | me.application;
  pup::same_address(p, me.parent);
  me.comms.pup(p, [&](Communicator& comm) { pup_communicator(p, *me.rank, comm); });
  p | me.groups | me.datatypes | me.ops | me.creations;
  pup_annotations(p, me.predefined_annotations);
  me.requests.pup(p, *me.rank);
  for (const std::unique_ptr<RankPart>& part : me.parts) {
    part->pup(p, me);
  }
}

}  // namespace

void MpiLayer::pup(runtime::Rank& rank, pup::Puper& p) {
  if (p.unpacking()) {
    rank.upper_state = new_rank_state(rank, part<ProcessComms>().world(rank.job)).release();
  }
  pup_state(p, *static_cast<RankState*>(rank.upper_state));
}

const char* MpiLayer::why_pinned(const runtime::Rank& rank) const {
  const auto* const state = static_cast<const RankState*>(rank.upper_state);
  if (state == nullptr) {
    return nullptr;
  }
  const char* why = nullptr;
  state->requests.for_each([&](const PendingRequest& request) { why = why == nullptr ? request.pinned() : why; });
  for (const std::unique_ptr<RankPart>& part : state->parts) {
    why = why == nullptr ? part->pinned(*state) : why;
  }
  return why;
}

std::string MpiLayer::roll_back(runtime::Rank& rank, bool cut) {
  auto* const state = static_cast<RankState*>(rank.upper_state);
  std::string wrong;
  if (state != nullptr) {
    for (const std::unique_ptr<RankPart>& part : state->parts) {
      wrong = wrong.empty() ? part->roll_back(*state, cut) : wrong;
    }
  }
  return wrong;
}

void MpiLayer::forget(runtime::Rank& rank) {
  const std::unique_ptr<RankState> state(static_cast<RankState*>(rank.upper_state));
  rank.upper_state = nullptr;
  leave_team(rank, state->world);
  state->comms.for_each([&](const Communicator& comm) { leave_team(rank, comm); });
}

}  // namespace layer
}  // namespace weft::mpi_shim
