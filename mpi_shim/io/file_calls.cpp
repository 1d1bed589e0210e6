// MPI_File_get_size, MPI_File_set_size, MPI_File_sync and other calls on a file as a whole.
#include "mpi_shim/group/group.hpp"
#include "mpi_shim/io/allgather_value.hpp"
#include "mpi_shim/io/hints.hpp"
#include "mpi_shim/io/problem.hpp"

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::io;

namespace {

Problem check_writable(const File& file) {
  if ((file.amode & MPI_MODE_RDONLY) != 0) {
    return problem(MPI_ERR_READ_ONLY, "{} is open with MPI_MODE_RDONLY", file.path);
  }
  if ((file.amode & MPI_MODE_SEQUENTIAL) != 0) {
    return problem(MPI_ERR_UNSUPPORTED_OPERATION, "{} is open with MPI_MODE_SEQUENTIAL", file.path);
  }
  return {};
}

// Collective: member 0 changes the file's size.
template <typename Change>
int change_size(const Entry& entry, MPI_File fh, MPI_Offset size, Change&& change) {
  int error = MPI_SUCCESS;
  File* const file = checked_file(entry, fh, error);
  if (file == nullptr) {
    return error;
  }
  const Communicator& comm = *find_comm(entry.me, file->comm);
  Problem wrong = check_writable(*file);
  if (!wrong && size < 0) {
    wrong = problem(MPI_ERR_ARG, "size {} is negative", size);
  }
  error = raise_unless_same(entry, file, comm, wrong, {"sizes", size});
  if (error != MPI_SUCCESS) {
    return error;
  }
  int failed = 0;
  if (comm.rank == 0) {
    PosixFile* const posix = descriptor(entry.me, *file, failed);
    failed = posix == nullptr ? failed : change(*posix, static_cast<std::uint64_t>(size));
  }
  failed = allgather_value(entry, comm, failed)[0];
  return failed == 0 ? MPI_SUCCESS : raise(entry, file, system_problem(failed, file->path));
}

int file_set_size(const Entry& entry, MPI_File fh, MPI_Offset size) {
  return change_size(entry, fh, size, [](PosixFile& posix, std::uint64_t bytes) { return posix.resize(bytes); });
}

int file_preallocate(const Entry& entry, MPI_File fh, MPI_Offset size) {
  return change_size(entry, fh, size, [](PosixFile& posix, std::uint64_t bytes) { return posix.preallocate(bytes); });
}

int file_get_size(const Entry& entry, File& file, MPI_Offset* size) {
  int failed = 0;
  std::uint64_t bytes = 0;
  PosixFile* const posix = descriptor(entry.me, file, failed);
  failed = posix == nullptr ? failed : posix->size(bytes);
  *size = static_cast<MPI_Offset>(bytes);
  return failed == 0 ? MPI_SUCCESS : raise(entry, &file, system_problem(failed, file.path));
}

int file_sync(const Entry& entry, File& file) {
  const Communicator& comm = *find_comm(entry.me, file.comm);
  // The first sync() in a process flushes the writes of all members there, so all of them must have written before it.
  // The other members there return from sync() at once: raise_collectively() has them wait for the first one.
  barrier_of_members(entry, comm);
  int failed = 0;
  PosixFile* const posix = descriptor(entry.me, file, failed);
  failed = posix == nullptr ? failed : posix->sync();
  return raise_collectively(entry, &file, comm, system_problem(failed, file.path));
}

int file_get_group(const Entry& entry, File& file, MPI_Group* group) {
  *group = new_group(entry.me, find_comm(entry.me, file.comm)->shared->group);
  return MPI_SUCCESS;
}

int file_get_amode(const Entry&, File& file, int* amode) {
  *amode = file.amode;
  return MPI_SUCCESS;
}

int file_set_info(const Entry& entry, File& file, MPI_Info info) {
  const Info* const asked = find_info(entry.me, info);
  if (asked == nullptr && info != MPI_INFO_NULL) {
    return raise(entry, &file, problem(MPI_ERR_INFO, "info is not an info object"));
  }
  file.hints = merged_hints(file.hints, asked);
  barrier_of_members(entry, *find_comm(entry.me, file.comm));
  return MPI_SUCCESS;
}

int file_get_info(const Entry& entry, File& file, MPI_Info* info_used) {
  *info_used = new_info(entry.me, file.hints);
  return MPI_SUCCESS;
}

int file_set_atomicity(const Entry& entry, File& file, int flag) {
  int error = MPI_SUCCESS;
  error = raise_unless_same(entry, &file, *find_comm(entry.me, file.comm), {}, {"flags", flag != 0 ? 1 : 0});
  if (error == MPI_SUCCESS) {
    file.atomic = flag != 0;
  }
  return error;
}

int file_get_atomicity(const Entry&, File& file, int* flag) {
  *flag = file.atomic ? 1 : 0;
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/io/file_calls.inc"
