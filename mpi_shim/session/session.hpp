// Sessions: what MPI_Session_init opens, beside or instead of MPI_Init.
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

  void pup(pup::Puper& p) {  // all but the buffer
    p | thread_level;
    pup::same_address(p, handle);
    pup::same_address(p, errhandler);
  }
};

// Those of one rank.
struct Sessions final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::sessions;
  HandleTable<Session, Kind::session> open;
  std::map<MPI_Group, MPI_Session> of_group;  // which session a group comes from; none: the world

  // All but the sessions' buffers.
  void pup(pup::Puper& p, RankState& me) override;
  void add_leaks(const Creations& creations, std::vector<Leak>& leaks) const override;
};

// Calls about sessions complain through the session's own error handler.
template <typename... Arguments>
int raise_in(const Entry& entry, const Session& session, int error_class, fmt::format_string<Arguments...> text,
             Arguments&&... arguments) {
  return raise_text_in(entry, session, error_class, fmt::format(text, std::forward<Arguments>(arguments)...));
}
int raise_text_in(const Entry& entry, const Session& session, int error_class, const std::string& text);
int bad_session(const Entry& entry, MPI_Session session);

// A group that was made from others belongs to the session that they come from.
void note_session(RankState& me, MPI_Session session, MPI_Group group);
MPI_Session session_of(const RankState& me, MPI_Group group);

}  // namespace session
}  // namespace weft::mpi_shim
