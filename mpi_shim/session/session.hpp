// Sessions: what MPI_Session_init opens, beside or instead of MPI_Init.
#pragma once

#include <memory>

#include "mpi_shim/p2p/buffered_send.hpp"

namespace weft::mpi_shim {

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

}  // namespace weft::mpi_shim
