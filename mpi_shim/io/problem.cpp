#include "mpi_shim/io/problem.hpp"

#include <cerrno>
#include <cstring>

#include "mpi_shim/error/errhandler.hpp"
#include "mpi_shim/error/error_codes.hpp"
#include "mpi_shim/io/allgather_value.hpp"

namespace weft::mpi_shim::io {

namespace {

int class_of(int error) {
  switch (error) {
    case 0:
      return MPI_SUCCESS;
    case ENOENT:
      return MPI_ERR_NO_SUCH_FILE;
    case EEXIST:
      return MPI_ERR_FILE_EXISTS;
    case EACCES:
    case EPERM:
      return MPI_ERR_ACCESS;
    case EROFS:
      return MPI_ERR_READ_ONLY;
    case ENOSPC:
      return MPI_ERR_NO_SPACE;
    case EDQUOT:
      return MPI_ERR_QUOTA;
    case EBUSY:
    case ETXTBSY:
      return MPI_ERR_FILE_IN_USE;
    case ENAMETOOLONG:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
      return MPI_ERR_BAD_FILE;
    default:
      return MPI_ERR_IO;
  }
}

struct Contribution {
  int error_class;
  std::int64_t value;
};

}  // namespace

Problem system_problem(int error, const std::string& path) {
  return error == 0 ? Problem{} : problem(class_of(error), "{}: {}", path, std::strerror(error));
}

int raise(const Entry& entry, const File* file, const Problem& problem) {
  RankState& me = entry.me;
  me.pending_exception.rethrow();
  const MPI_Errhandler handler = file != nullptr ? file->errhandler : me.part<Files>().null_errhandler;
  if (me.part<Errhandlers>().table.find(handler) == nullptr) {
    return handle_error(me, file != nullptr ? file->comm : MPI_COMM_NULL, handler,
                        {problem.error_class, entry.call(), problem.text.c_str()});
  }
  // The function may close the file.
  const MPI_File handle = file != nullptr ? file->handle : MPI_FILE_NULL;
  return run_errhandler(me, handler, reinterpret_cast<MPI_Comm>(handle), problem.error_class);
}

File* checked_file(const Entry& entry, MPI_File handle, int& error) {
  File* const file = entry.me.part<Files>().open.find(handle);
  error = MPI_SUCCESS;
  if (file == nullptr) {
    error = raise(entry, nullptr,
                  handle == MPI_FILE_NULL
                      ? problem(MPI_ERR_FILE, "the file is MPI_FILE_NULL")
                      : problem(MPI_ERR_FILE, "{:#x} is not an open file of this rank", handle_value(handle)));
  }
  return file;
}

int raise_collectively(const Entry& entry, const File* file, const Communicator& comm, const Problem& own) {
  return raise_unless_same(entry, file, comm, own, {"arguments", 0});
}

int raise_unless_same(const Entry& entry, const File* file, const Communicator& comm, const Problem& own,
                      const Compared& compared) {
  const std::vector<Contribution> all = allgather_value(entry, comm, Contribution{own.error_class, compared.value});
  if (own) {
    return raise(entry, file, own);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].error_class != MPI_SUCCESS) {
      const char* const known = error_name(all[i].error_class);
      return raise(entry, file,
                   problem(all[i].error_class, "the call failed at rank {} of the file's group with {}", i,
                           known != nullptr ? known : "an error"));
    }
    if (all[i].value != all[0].value) {
      return raise(
          entry, file,
          problem(MPI_ERR_NOT_SAME, "rank 0 and rank {} of the file's group pass different {}", i, compared.name));
    }
  }
  return MPI_SUCCESS;
}

int raise_null(const Entry& entry, const File* file, const char* name) {
  return raise(entry, file, problem(MPI_ERR_ARG, "{} is a null pointer", name));
}

}  // namespace weft::mpi_shim::io
