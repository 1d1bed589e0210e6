// MPI sessions: opened by MPI_Session_init, beside or instead of MPI_Init.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "mpi_shim/entry/entry.hpp"

namespace weft::mpi_shim {
inline namespace p2p {
struct SendBuffer;  // buffered_send.hpp
}  // namespace p2p

inline namespace session {

// Owned by its rank.
struct Session {
  MPI_Session handle = MPI_SESSION_NULL;
  MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
  int thread_level = MPI_THREAD_SINGLE;
  std::shared_ptr<SendBuffer> send_buffer;

  void pup(pup::Puper& p) {  // all but the send buffer
    p | thread_level;
    pup::same_address(p, handle);
    pup::same_address(p, errhandler);
  }
};

// The sessions of one rank.
struct Sessions final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::sessions;
  HandleTable<Session, HandleKind::session> open;
  std::map<MPI_Group, MPI_Session> of_group;  // the session that a group derives from; no entry: the world

  // All but the sessions' buffers.
  void pup(pup::Puper& p, RankState& me) override;
  void add_leaks(const Creations& creations, std::vector<Leak>& leaks) const override;
};

// Calls on sessions raise errors through the session's own error handler.
template <typename... Arguments>
int raise_in(const Entry& entry, const Session& session, int error_class, fmt::format_string<Arguments...> text,
             Arguments&&... arguments) {
  return raise_text_in(entry, session, error_class, fmt::format(text, std::forward<Arguments>(arguments)...));
}
int raise_text_in(const Entry& entry, const Session& session, int error_class, const std::string& text);
int bad_session(const Entry& entry, MPI_Session session);

// Records the session that a group derives from. A group made from other groups derives from their session.
void note_session(RankState& me, MPI_Session session, MPI_Group group);
MPI_Session session_of(const RankState& me, MPI_Group group);

}  // namespace session
}  // namespace weft::mpi_shim
