#include "mpi_shim/error/errhandler.hpp"

#include <fmt/format.h>

#include "mpi_shim/error/error_codes.hpp"
#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace error {

namespace {

[[noreturn]] void end_job(RankState& me, MPI_Comm comm, const CallError& error) {
  const auto& [code, call, text] = error;
  const ErrorCodes::Added* const added = me.part<ErrorCodes>().find(code);
  const char* const known = error_name(added != nullptr ? added->error_class : code);
  const std::string name = known != nullptr ? known : fmt::format("error {}", code);
  const Communicator* const where = find_comm(me, comm);
  const bool on_window = handle_value(comm) >> kKindShift == static_cast<std::uintptr_t>(HandleKind::window);
  const std::string place = where != nullptr ? describe(*where) : on_window ? "a window" : "no communicator";
  me.rank->job.abort(code > 0 && code < 126 ? code : 1,
                     fmt::format("rank {}: {}: {} ({} on {})", me.world.rank, call, text, name, place));
}

}  // namespace

bool is_standard(MPI_Errhandler handler) {
  return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_RETURN || handler == MPI_ERRORS_ABORT;
}

void Errhandlers::pup(pup::Puper& p, RankState& /*me*/) { p | table; }

void Errhandlers::add_leaks(const Creations& creations, std::vector<Leak>& leaks) const {
  add_unfreed(leaks, table, creations, "error handler never freed");
}

bool is_handler_for(const RankState& me, MPI_Errhandler handler, Errhandler::Object object) {
  const Errhandler* const user = me.part<Errhandlers>().table.find(handler);
  return user != nullptr ? user->object == object : is_standard(handler);
}

MPI_Errhandler hold_errhandler(RankState& me, MPI_Errhandler handler) {
  if (Errhandler* const found = me.part<Errhandlers>().table.find(handler); found != nullptr) {
    ++found->uses;
  }
  return handler;
}

void release_errhandler(RankState& me, MPI_Errhandler handler) {
  if (Errhandler* const found = me.part<Errhandlers>().table.find(handler); found != nullptr && --found->uses == 0) {
    me.part<Errhandlers>().table.remove(handler);
  }
}

// Adds the new reference first, since both may be the same handler.
void replace_errhandler(RankState& me, MPI_Errhandler& of_object, MPI_Errhandler handler) {
  hold_errhandler(me, handler);
  release_errhandler(me, of_object);
  of_object = handler;
}

namespace {

// Holds a handler, and its rank in the process, while the handler's function runs.
class HeldErrhandler {
 public:
  HeldErrhandler(RankState& me, MPI_Errhandler handler) : me_(me), handler_(hold_errhandler(me, handler)) {
    ++me_.part<Errhandlers>().running;
  }
  ~HeldErrhandler() {
    --me_.part<Errhandlers>().running;
    release_errhandler(me_, handler_);
  }
  HeldErrhandler(const HeldErrhandler&) = delete;
  HeldErrhandler& operator=(const HeldErrhandler&) = delete;

 private:
  RankState& me_;
  const MPI_Errhandler handler_;
};

}  // namespace

// An exception passes through without call_program(): the call has nothing left to do, and its frames are unwound.
int run_errhandler(RankState& me, MPI_Errhandler handler, MPI_Comm object, int code) {
  const HeldErrhandler held(me, handler);
  // Fortran's handlers take addresses of INTEGERs: on a little-endian machine the handle's low half is that INTEGER.
  auto* const function = me.part<Errhandlers>().table.find(handler)->function;
  reinterpret_cast<MPI_Comm_errhandler_function*>(function)(&object, &code);
  return code;
}

Communicator& fallback_comm(RankState& me) { return me.self.errhandler != MPI_ERRORS_ARE_FATAL ? me.self : me.world; }

int handle_error(RankState& me, MPI_Comm comm, MPI_Errhandler handler, const CallError& error) {
  me.pending_exception.rethrow();  // the error is that an exception left a function of the program
  if (handler == MPI_ERRORS_RETURN) {
    return error.code;
  }
  if (me.part<Errhandlers>().table.find(handler) == nullptr) {
    end_job(me, comm, error);
  }
  run_errhandler(me, handler, comm, error.code);
  return error.code;
}

}  // namespace error
}  // namespace weft::mpi_shim
