// The error handlers of files; MPI_FILE_NULL's is the one that files get when they are opened.
#include "mpi_shim/error/errhandler.hpp"
#include "mpi_shim/io/problem.hpp"

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::io;

namespace {

// Null after raising into `error`.
MPI_Errhandler* place_of(const Entry& entry, MPI_File handle, int& error) {
  error = MPI_SUCCESS;
  if (handle == MPI_FILE_NULL) {
    return &entry.me.part<Files>().null_errhandler;
  }
  File* const file = checked_file(entry, handle, error);
  return file == nullptr ? nullptr : &file->errhandler;
}

int file_set_errhandler(const Entry& entry, MPI_File file, MPI_Errhandler errhandler) {
  int error = MPI_SUCCESS;
  MPI_Errhandler* const place = place_of(entry, file, error);
  if (place == nullptr) {
    return error;
  }
  if (!is_handler_for(entry.me, errhandler, Errhandler::Object::file)) {
    return raise(entry, entry.me.part<Files>().open.find(file),
                 problem(MPI_ERR_ERRHANDLER, "errhandler is not an error handler of files"));
  }
  replace_errhandler(entry.me, *place, errhandler);
  return MPI_SUCCESS;
}

int file_get_errhandler(const Entry& entry, MPI_File file, MPI_Errhandler* errhandler) {
  int error = MPI_SUCCESS;
  const MPI_Errhandler* const place = place_of(entry, file, error);
  if (place == nullptr) {
    return error;
  }
  if (errhandler == nullptr) {
    return raise_null(entry, entry.me.part<Files>().open.find(file), "errhandler");
  }
  *errhandler = hold_errhandler(entry.me, *place);
  return MPI_SUCCESS;
}

int file_call_errhandler(const Entry& entry, MPI_File fh, int errorcode) {
  int error = MPI_SUCCESS;
  if (place_of(entry, fh, error) == nullptr) {
    return error;
  }
  raise(entry, entry.me.part<Files>().open.find(fh), {errorcode, "the program raised this error"});
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/io/errhandler_calls.inc"
