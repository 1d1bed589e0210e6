#include "mpi_shim/error/errhandler.hpp"

#include <fmt/format.h>

#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/error/error_codes.hpp"

namespace weft::mpi_shim {

namespace {

[[noreturn]] void end_job(RankState& me, MPI_Comm comm, const CallError& error) {
  const auto& [code, call, text] = error;
  const ErrorCodes::Added* const added = me.error_codes->find(code);
  const char* const known = error_name(added != nullptr ? added->error_class : code);
  const std::string name = known != nullptr ? known : fmt::format("error {}", code);
  const Communicator* const where = find_comm(me, comm);
  const bool on_window = handle_value(comm) >> kKindShift == static_cast<std::uintptr_t>(Kind::window);
  const std::string place = where != nullptr ? describe(*where) : on_window ? "a window" : "no communicator";
  me.rank->job.abort(code > 0 && code < 126 ? code : 1,
                     fmt::format("rank {}: {}: {} ({} on {})", me.world.rank, call, text, name, place));
}

bool is_standard(MPI_Errhandler handler) {
  return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_RETURN || handler == MPI_ERRORS_ABORT;
}

}  // namespace

bool may_handle(const RankState& me, MPI_Errhandler handler, Errhandler::Object object) {
  const Errhandler* const user = me.errhandlers.find(handler);
  return user != nullptr ? user->object == object : is_standard(handler);
}

MPI_Errhandler hold_errhandler(RankState& me, MPI_Errhandler handler) {
  if (Errhandler* const found = me.errhandlers.find(handler); found != nullptr) {
    ++found->uses;
  }
  return handler;
}

void release_errhandler(RankState& me, MPI_Errhandler handler) {
  if (Errhandler* const found = me.errhandlers.find(handler); found != nullptr && --found->uses == 0) {
    me.errhandlers.remove(handler);
  }
}

HeldErrhandler::HeldErrhandler(RankState& me, MPI_Errhandler handler) : handler_(hold_errhandler(me, handler)) {}

HeldErrhandler::~HeldErrhandler() { release_errhandler(state(), handler_); }

Communicator& fallback_comm(RankState& me) { return me.self.errhandler != MPI_ERRORS_ARE_FATAL ? me.self : me.world; }

int handle_error(RankState& me, MPI_Comm comm, MPI_Errhandler handler, const CallError& error) {
  me.kept.resume();  // the error is that an exception left a function of the program
  if (handler == MPI_ERRORS_RETURN) {
    return error.code;
  }
  Errhandler* const user = me.errhandlers.find(handler);
  if (user == nullptr) {
    end_job(me, comm, error);
  }
  // Fortran's handlers take addresses of INTEGERs: on a little-endian machine the handle's low half is that INTEGER.
  int heard = error.code;
  const HeldErrhandler held(me, handler);
  reinterpret_cast<MPI_Comm_errhandler_function*>(user->function)(&comm, &heard);
  return error.code;
}

}  // namespace weft::mpi_shim

namespace {

using weft::mpi_shim::Communicator;
using weft::mpi_shim::Entry;
using weft::mpi_shim::Errhandler;
using Object = weft::mpi_shim::Errhandler::Object;

template <typename Function>
int create(const Entry& entry, Object object, Function* function, MPI_Errhandler* handler) {
  if (function == nullptr || handler == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, function == nullptr ? "the function" : "errhandler");
  }
  auto made = std::make_unique<Errhandler>();
  made->object = object;
  made->function = reinterpret_cast<void (*)()>(function);
  *handler = entry.me.errhandlers.add<MPI_Errhandler>(std::move(made));
  return MPI_SUCCESS;
}

int errhandler_free(const Entry& entry, MPI_Errhandler* errhandler) {
  if (!weft::mpi_shim::is_standard(*errhandler) && entry.me.errhandlers.find(*errhandler) == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ERRHANDLER, "errhandler is not an error handler");
  }
  weft::mpi_shim::release_errhandler(entry.me, *errhandler);
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

int comm_set_errhandler(const Entry& entry, Communicator& comm, MPI_Errhandler errhandler) {
  if (!weft::mpi_shim::may_handle(entry.me, errhandler, Object::comm)) {
    return entry.raise(comm.handle, MPI_ERR_ERRHANDLER, "errhandler is not an error handler of communicators");
  }
  weft::mpi_shim::hold_errhandler(entry.me, errhandler);
  weft::mpi_shim::release_errhandler(entry.me, comm.errhandler);
  comm.errhandler = errhandler;
  return MPI_SUCCESS;
}

int comm_get_errhandler(const Entry& entry, Communicator& comm, MPI_Errhandler* errhandler) {
  *errhandler = weft::mpi_shim::hold_errhandler(entry.me, comm.errhandler);
  return MPI_SUCCESS;
}

int comm_call_errhandler(const Entry& entry, Communicator& comm, int errorcode) {
  weft::mpi_shim::handle_error(entry.me, comm.handle, comm.errhandler,
                               {errorcode, entry.call(), "the program raised this error"});
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/error/errhandler.inc"
