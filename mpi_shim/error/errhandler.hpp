// Error handlers: the predefined ones and those that users make.
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

// A user's error handler. Counted: by its handle until MPI_Errhandler_free, and by every object that it is set on.
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

// Those of one rank.
struct Errhandlers final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::errhandlers;
  HandleTable<Errhandler, Kind::errhandler> table;

  void pup(pup::Puper& p, RankState& me) override;
  void add_leaks(const Creations& creations, std::vector<Leak>& leaks) const override;
};

// One of MPI's own error handlers.
bool is_standard(MPI_Errhandler handler);

// Whether it may stand where error handlers of such objects do.
bool may_handle(const RankState& me, MPI_Errhandler handler, Errhandler::Object object);

// One more, one fewer use of a handler; predefined handlers are not counted. hold_errhandler() returns its argument.
MPI_Errhandler hold_errhandler(RankState& me, MPI_Errhandler handler);
void release_errhandler(RankState& me, MPI_Errhandler handler);
// What the object has from now on, with both counts.
void replace_errhandler(RankState& me, MPI_Errhandler& of_object, MPI_Errhandler handler);

// While its function runs: that may free its handle, end in an exception, or call MPI_Migrate.
class HeldErrhandler {
 public:
  HeldErrhandler(RankState& me, MPI_Errhandler handler);
  ~HeldErrhandler();
  HeldErrhandler(const HeldErrhandler&) = delete;
  HeldErrhandler& operator=(const HeldErrhandler&) = delete;

 private:
  const MPI_Errhandler handler_;
};

// An error of a call, as its handler gets it.
struct CallError {
  int code;
  const char* call;  // its name
  const char* text;
};

// Calls the error handler for an error on the communicator. Returns the code when the handler returns;
// MPI_ERRORS_ARE_FATAL and MPI_ERRORS_ABORT print one line with rank, call and text, and end the job.
// An exception that the call has kept goes on from here instead.
int handle_error(RankState& me, MPI_Comm comm, MPI_Errhandler handler, const CallError& error);

// The handler of errors that belong to no communicator: that of MPI_COMM_SELF where the program has set one, else that
// of MPI_COMM_WORLD, so that programs of MPI-4 and of earlier versions both find theirs.
Communicator& fallback_comm(RankState& me);

}  // namespace error
}  // namespace weft::mpi_shim
