// MPI_Session_init, MPI_Session_finalize, and the error handlers of sessions.
#include <algorithm>
#include <optional>

#include "mpi_shim/entry/thread_level.hpp"
#include "mpi_shim/error/errhandler.hpp"
#include "mpi_shim/info/info.hpp"
#include "mpi_shim/p2p/buffered_send.hpp"
#include "mpi_shim/request/completion.hpp"
#include "mpi_shim/session/session.hpp"

namespace weft::mpi_shim {
inline namespace session {

namespace {

// The level that the info key thread_level asks for; none when its value names no level.
std::optional<int> thread_level_for(const Info* info) {
  const std::string* const wanted = info == nullptr ? nullptr : info->find("thread_level");
  return wanted == nullptr ? MPI_THREAD_SINGLE : thread_level_of(*wanted);
}

void close(RankState& me, Session& session) {
  if (session.send_buffer != nullptr) {
    session.send_buffer->flush(me);
  }
  release_errhandler(me, session.errhandler);
  std::erase_if(me.part<Sessions>().of_group, [&](const auto& group) { return group.second == session.handle; });
  me.comms.for_each(
      [&](Communicator& comm) { comm.session = comm.session == session.handle ? MPI_SESSION_NULL : comm.session; });
  me.part<Sessions>().open.remove(session.handle);
}

int session_init(const Entry& entry, MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  RankState& me = entry.me;
  if (session == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "session");
  }
  if (!is_handler_for(me, errhandler, Errhandler::Object::session)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ERRHANDLER, "errhandler is not an error handler of sessions");
  }
  const Info* const hints = find_info(me, info);
  if (hints == nullptr && info != MPI_INFO_NULL) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_INFO, "info is not an info object");
  }
  const std::optional<int> thread_level = thread_level_for(hints);
  if (!thread_level) {
    return handle_error(me, MPI_COMM_NULL, errhandler,
                        {MPI_ERR_INFO_VALUE, entry.call(), "thread_level in info is not the name of a thread level"});
  }
  auto opened = std::make_unique<Session>();
  Session& placed = *opened;
  placed.errhandler = hold_errhandler(me, errhandler);
  placed.thread_level =
      std::max(provide_threads(me, *thread_level), me.part<ThreadSupport>().level);  // the rank's sessions share it
  *session = placed.handle = me.part<Sessions>().open.add<MPI_Session>(std::move(opened));
  me.active = true;
  return MPI_SUCCESS;
}

int session_finalize(const Entry& entry, MPI_Session* session) {
  RankState& me = entry.me;
  if (session == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "session");
  }
  Session* const found = me.part<Sessions>().open.find(*session);
  if (found == nullptr) {
    return bad_session(entry, *session);
  }
  close(me, *found);
  *session = MPI_SESSION_NULL;
  if (me.part<Sessions>().open.live() == 0 && !me.in_world()) {
    flush_buffered_sends(me);
    finish_abandoned_requests(me);
    me.active = false;
  }
  return MPI_SUCCESS;
}

int session_set_errhandler(const Entry& entry, Session& session, MPI_Errhandler errhandler) {
  if (!is_handler_for(entry.me, errhandler, Errhandler::Object::session)) {
    return raise_in(entry, session, MPI_ERR_ERRHANDLER, "errhandler is not an error handler of sessions");
  }
  replace_errhandler(entry.me, session.errhandler, errhandler);
  return MPI_SUCCESS;
}

int session_get_errhandler(const Entry& entry, Session& session, MPI_Errhandler* errhandler) {
  *errhandler = hold_errhandler(entry.me, session.errhandler);
  return MPI_SUCCESS;
}

int session_call_errhandler(const Entry& entry, Session& session, int errorcode) {
  raise_text_in(entry, session, errorcode, "the program raised this error");
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace session
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/session/session_calls.inc"
