// A rank's state on a move to another process.
#include "mpi_shim/attribute/keyval.hpp"
#include "mpi_shim/entry/thread_level.hpp"
#include "mpi_shim/error/errhandler.hpp"
#include "mpi_shim/error/error_codes.hpp"
#include "mpi_shim/info/info.hpp"
#include "mpi_shim/io/file.hpp"
#include "mpi_shim/p2p/buffered_send.hpp"
#include "mpi_shim/p2p/probe.hpp"
#include "mpi_shim/rma/window.hpp"
#include "mpi_shim/session/session.hpp"
#include "mpi_shim/state/client.hpp"
#include "mpi_shim/state/state.hpp"
#include "mpi_shim/tool/tool.hpp"

namespace weft::mpi_shim {

namespace {

void pup_marks(pup::Puper& p, std::map<MPI_Datatype, DatatypeMarks>& marks) {
  auto count = static_cast<std::uint64_t>(marks.size());
  p | count;
  for (auto mark = marks.begin(); count > 0; --count) {
    MPI_Datatype type = p.unpacking() ? MPI_DATATYPE_NULL : mark->first;
    pup::same_address(p, type);
    p | (p.unpacking() ? marks[type] : mark++->second);
  }
}

void pup_group_sessions(pup::Puper& p, std::map<MPI_Group, MPI_Session>& sessions) {
  auto count = static_cast<std::uint64_t>(sessions.size());
  p | count;
  for (auto at = sessions.begin(); count > 0; --count) {
    MPI_Group group = p.unpacking() ? MPI_GROUP_NULL : at->first;
    MPI_Session session = p.unpacking() ? MPI_SESSION_NULL : (at++)->second;
    pup::same_address(p, group);
    pup::same_address(p, session);
    if (p.unpacking()) {
      sessions[group] = session;
    }
  }
}

void pup_buffer(pup::Puper& p, runtime::Rank& owner, std::shared_ptr<SendBuffer>& buffer) {
  bool attached = buffer != nullptr;
  p | attached;
  if (attached) {
    if (p.unpacking()) {
      buffer = std::make_shared<SendBuffer>();
    }
    buffer->pup(p, owner);
  }
}

// Those that live as long as the state too.
template <typename State, typename Visit>
void for_each_comm(State& me, Visit&& visit) {
  visit(me.world);
  visit(me.self);
  me.comms.for_each(visit);
}

}  // namespace

void RankState::pup(pup::Puper& p) {
  p | active | initialized | finalized | thread_level | threads_may_call | world | self | application;
  pup::same_address(p, parent);
  comms.pup(p, [&](Communicator& comm) { pup_communicator(p, *rank, comm); });
  p | groups | datatypes | ops;
  pup_marks(p, predefined_marks);
  requests.pup(p, *rank);
  p | errhandlers | infos;
  messages.pup(p, [&](MessageHandle& message) { message.pup(p, *rank); });
  p | keyvals | error_codes | files | migration;
  windows.pup(p, [&](rma::Window& window) { rma::pup_window(p, *rank, window); });
  p | sessions | buffered_sends | ports;
  pup_group_sessions(p, group_sessions);
  Tool::pup(p, *this);
  pup_buffer(p, *rank, send_buffer);
  for_each_comm(*this, [&](Communicator& comm) { pup_buffer(p, *rank, comm.send_buffer); });
  sessions.for_each([&](Session& session) { pup_buffer(p, *rank, session.send_buffer); });
}

void Client::pup(runtime::Rank& rank, pup::Puper& p) {
  if (p.unpacking()) {
    rank.client = new RankState(rank, world_of(rank.job));
  }
  p | *static_cast<RankState*>(rank.client);
  if (p.unpacking()) {
    go_on_with_threads(*static_cast<RankState*>(rank.client));
  }
}

const char* Client::pinned(const runtime::Rank& rank) const {
  const auto* const state = static_cast<const RankState*>(rank.client);
  if (state == nullptr) {
    return nullptr;
  }
  const char* why = nullptr;
  const auto ask = [&](const auto& holder) {
    why = why == nullptr && holder.send_buffer != nullptr ? holder.send_buffer->pinned() : why;
  };
  ask(*state);
  for_each_comm(*state, ask);
  state->sessions.for_each(ask);
  why = why == nullptr ? state->files->pinned() : why;
  state->requests.for_each([&](const PendingRequest& request) { why = why == nullptr ? request.pinned() : why; });
  state->windows.for_each([&](const rma::Window& window) { why = why == nullptr ? rma::pinned(window) : why; });
  return why;
}

void Client::forget(runtime::Rank& rank) {
  const std::unique_ptr<RankState> state(static_cast<RankState*>(rank.client));
  rank.client = nullptr;
  leave_team(rank, state->world);
  state->comms.for_each([&](const Communicator& comm) { leave_team(rank, comm); });
}

}  // namespace weft::mpi_shim
