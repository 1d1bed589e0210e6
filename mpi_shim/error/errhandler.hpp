// Error handlers: the predefined ones and those of the program.
#pragma once

#include <cstdint>

#include "mpi.h"
#include "mpi_shim/state/handles.hpp"
#include "mpi_shim/state/rank_part.hpp"
#include "pup/pup.hpp"

namespace weft::mpi_shim {
inline namespace comm {
struct Communicator;
}  // namespace comm

inline namespace state {
struct RankState;
}  // namespace state

inline namespace error {

// An error handler of the program. Reference-counted: one use for its handle until MPI_Errhandler_free, and one for
// every object that it is set on.
struct Errhandler {
  enum class Object : std::uint8_t { comm, window, file, session };
  Object object = Object::comm;
  void (*function)() = nullptr;
  std::uint32_t uses = 1;

  void pup(pup::Puper& p) {
    p | object | uses;
    pup::same_address(p, function);
  }
};

// The error handlers of one rank.
struct Errhandlers final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::errhandlers;
  HandleTable<Errhandler, HandleKind::errhandler> table;
  // How many functions of handlers run, or were left by longjmp. The calls that have failed hold memory of the process.
  std::uint32_t running = 0;

  const char* pinned(const RankState&) const override {
    return running == 0 ? nullptr : "an error handler has not returned";
  }
  void pup(pup::Puper& p, RankState& me) override;
  void add_leaks(const Creations& creations, std::vector<Leak>& leaks) const override;
};

// Whether it is a predefined error handler.
bool is_standard(MPI_Errhandler handler);

// Whether it is an error handler for objects of this kind.
bool is_handler_for(const RankState& me, MPI_Errhandler handler, Errhandler::Object object);

// Add and drop a use of a handler; predefined handlers are not counted. hold_errhandler() returns its argument.
MPI_Errhandler hold_errhandler(RankState& me, MPI_Errhandler handler);
void release_errhandler(RankState& me, MPI_Errhandler handler);
// Sets the handler of an object, and updates the uses of the old and of the new one.
void replace_errhandler(RankState& me, MPI_Errhandler& of_object, MPI_Errhandler handler);

// Calls the function of a handler that the program has created. Returns the code, which the function may have changed.
// `object` is the handle of the communicator, window, file or session: the function gets its address, whatever its
// kind. The function may throw, or free the handler. Meanwhile the rank stays in its process.
int run_errhandler(RankState& me, MPI_Errhandler handler, MPI_Comm object, int code);

// An error of a call, as handle_error() takes it.
struct CallError {
  int code;
  const char* call;  // the name of the MPI function
  const char* text;
};

// Calls the error handler for an error on the communicator. `comm` may also be the handle of a window or a session: a
// handler of the program gets its address, whatever its kind. Returns the code when the handler returns;
// MPI_ERRORS_ARE_FATAL and MPI_ERRORS_ABORT print one line with rank, call and text, and end the job.
// A pending exception of the call is rethrown instead.
int handle_error(RankState& me, MPI_Comm comm, MPI_Errhandler handler, const CallError& error);

// The communicator whose handler gets errors that belong to no communicator: MPI_COMM_SELF if the program has set a
// handler there, else MPI_COMM_WORLD. So the handlers of MPI-4 programs and of older ones are both found.
Communicator& fallback_comm(RankState& me);

}  // namespace error
}  // namespace weft::mpi_shim
