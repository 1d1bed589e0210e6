#include "mpi_shim/session/session.hpp"

#include "mpi_shim/error/errhandler.hpp"

namespace weft::mpi_shim {
inline namespace session {

void Sessions::pup(pup::Puper& p, RankState& /*me*/) {
  p | open;
  auto count = static_cast<std::uint64_t>(of_group.size());
  p | count;
  for (auto at = of_group.begin(); count > 0; --count) {
    MPI_Group group = p.unpacking() ? MPI_GROUP_NULL : at->first;
    MPI_Session session = p.unpacking() ? MPI_SESSION_NULL : (at++)->second;
    pup::same_address(p, group);
    pup::same_address(p, session);
    if (p.unpacking()) {
      of_group[group] = session;
    }
  }
}

void Sessions::add_leaks(const Creations& creations, std::vector<Leak>& leaks) const {
  add_unfreed(leaks, open, creations, "session never freed");
}

int raise_text_in(const Entry& entry, const Session& session, int error_class, const std::string& text) {
  // Error handlers get the address of the handle, whatever its kind.
  const auto handle = reinterpret_cast<MPI_Comm>(session.handle);
  return handle_error(entry.me, handle, session.errhandler, {error_class, entry.call(), text.c_str()});
}

int bad_session(const Entry& entry, MPI_Session session) {
  if (session == MPI_SESSION_NULL) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_SESSION, "session is MPI_SESSION_NULL");
  }
  return entry.raise(MPI_COMM_NULL, MPI_ERR_SESSION, "session {:#x} is not a session of this rank",
                     handle_value(session));
}

void note_session(RankState& me, MPI_Session session, MPI_Group group) {
  if (session != MPI_SESSION_NULL && group != MPI_GROUP_EMPTY) {
    me.part<Sessions>().of_group[group] = session;
  }
}

MPI_Session session_of(const RankState& me, MPI_Group group) {
  const auto& sessions = me.part<Sessions>().of_group;
  const auto found = sessions.find(group);
  return found == sessions.end() ? MPI_SESSION_NULL : found->second;
}

}  // namespace session
}  // namespace weft::mpi_shim
