// MPI_*_create_errhandler, MPI_Errhandler_free, and the error handlers of communicators.
#include <memory>

#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/error/errhandler.hpp"

namespace {

using weft::mpi_shim::Communicator;
using weft::mpi_shim::Entry;
using weft::mpi_shim::Errhandler;
using weft::mpi_shim::Errhandlers;
using Object = weft::mpi_shim::Errhandler::Object;

template <typename Function>
int create(const Entry& entry, Object object, Function* function, MPI_Errhandler* handler) {
  if (function == nullptr || handler == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, function == nullptr ? "the function" : "errhandler");
  }
  auto made = std::make_unique<Errhandler>();
  made->object = object;
  made->function = reinterpret_cast<void (*)()>(function);
  *handler = entry.me.part<Errhandlers>().table.add<MPI_Errhandler>(std::move(made));
  return MPI_SUCCESS;
}

int errhandler_free(const Entry& entry, MPI_Errhandler* errhandler) {
  if (!weft::mpi_shim::is_standard(*errhandler) && entry.me.part<Errhandlers>().table.find(*errhandler) == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ERRHANDLER, "errhandler is not an error handler");
  }
  weft::mpi_shim::release_errhandler(entry.me, *errhandler);
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

int comm_set_errhandler(const Entry& entry, Communicator& comm, MPI_Errhandler errhandler) {
  if (!weft::mpi_shim::is_handler_for(entry.me, errhandler, Object::comm)) {
    return entry.raise(comm.handle, MPI_ERR_ERRHANDLER, "errhandler is not an error handler of communicators");
  }
  weft::mpi_shim::replace_errhandler(entry.me, comm.errhandler, errhandler);
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

#include "mpi_shim/generated/error/errhandler_calls.inc"
