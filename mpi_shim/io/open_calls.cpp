// MPI_File_open, MPI_File_close and MPI_File_delete.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <chrono>
#include <climits>
#include <string_view>

#include "mpi_shim/comm/comm_dup.hpp"
#include "mpi_shim/entry/failure_errors.hpp"
#include "mpi_shim/error/errhandler.hpp"
#include "mpi_shim/io/allgather_value.hpp"
#include "mpi_shim/io/hints.hpp"
#include "mpi_shim/io/problem.hpp"
#include "mpi_shim/state/process_state.hpp"

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::io;

namespace {

// The absolute path, without the file system prefix that some MPI libraries accept ("ufs:").
std::string path_of(std::string_view name) {
  for (const std::string_view system : {"ufs:", "nfs:"}) {
    if (name.starts_with(system)) {
      name.remove_prefix(system.size());
      break;
    }
  }
  char here[PATH_MAX] = {};
  if (name.starts_with('/') || getcwd(here, sizeof here) == nullptr) {
    return std::string(name);
  }
  return fmt::format("{}/{}", here, name);
}

// In the file's folder, so that every process that can reach the file can reach this one.
std::string hidden_path(const std::string& path, std::uint64_t token) {
  const std::size_t name = path.rfind('/') + 1;
  return fmt::format("{}.{}.{:016x}.shared_pointer", path.substr(0, name), path.substr(name), token);
}

// A number that hardly any other opening of the file has, by whatever job.
std::uint64_t fresh_token() {
  const auto now = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  static std::atomic<std::uint64_t> calls = 0;  // of one process
  return now ^ static_cast<std::uint64_t>(getpid()) << 40 ^ calls.fetch_add(1) << 20;
}

Problem check_amode(int amode) {
  constexpr int kAccess = MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY;
  constexpr int kKnown = kAccess | MPI_MODE_APPEND | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_EXCL |
                         MPI_MODE_SEQUENTIAL | MPI_MODE_UNIQUE_OPEN;
  if (std::popcount(static_cast<unsigned>(amode & kAccess)) != 1) {
    return problem(MPI_ERR_AMODE, "amode {} has not exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR, MPI_MODE_WRONLY",
                   amode);
  }
  if ((amode & ~kKnown) != 0) {
    return problem(MPI_ERR_AMODE, "amode {} has bits that no mode has", amode);
  }
  if ((amode & MPI_MODE_RDONLY) != 0 && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0) {
    return problem(MPI_ERR_AMODE, "MPI_MODE_RDONLY does not go with MPI_MODE_CREATE or MPI_MODE_EXCL");
  }
  if ((amode & MPI_MODE_RDWR) != 0 && (amode & MPI_MODE_SEQUENTIAL) != 0) {
    return problem(MPI_ERR_AMODE, "MPI_MODE_RDWR does not go with MPI_MODE_SEQUENTIAL");
  }
  return {};
}

Problem check_open(RankState& me, const char* filename, int amode, MPI_Info info, const MPI_File* fh) {
  if (filename == nullptr || fh == nullptr) {
    return problem(MPI_ERR_ARG, "{} is a null pointer", fh == nullptr ? "fh" : "filename");
  }
  if (*filename == '\0') {
    return problem(MPI_ERR_BAD_FILE, "filename is empty");
  }
  if (info != MPI_INFO_NULL && find_info(me, info) == nullptr) {
    return problem(MPI_ERR_INFO, "info is not an info object");
  }
  return check_amode(amode);
}

int creation_flags(int amode) {
  const int create = (amode & MPI_MODE_CREATE) != 0 ? O_CREAT : 0;
  return create | (create != 0 && (amode & MPI_MODE_EXCL) != 0 ? O_EXCL : 0);
}

// The result of member 0's open.
struct Opening {
  int error = 0;
  std::uint64_t token = 0;
  std::uint64_t bytes = 0;
};

Opening open_first(File& file) {
  Opening opening;
  opening.token = fresh_token();
  file.posix = PosixFile::open(file.path, file.open_flags() | creation_flags(file.amode), opening.error);
  struct stat found = {};
  if (file.posix != nullptr && fstat(file.posix->descriptor(), &found) == 0 && S_ISDIR(found.st_mode)) {
    opening.error = EISDIR;
  } else if (file.posix != nullptr) {
    opening.error = file.posix->size(opening.bytes);
  }
  return opening;
}

Info hints_for(const RankState& me, const Communicator& comm, const Info* asked) {
  const std::uint32_t workers = me.rank->job.worker_count() * me.rank->job.process_count();
  return merged_hints(default_hints(std::min(comm.size(), static_cast<int>(workers))), asked);
}

// On every member, after member 0 has opened the file: opens it in this process and sets the fields of `file`.
Problem open_on_member(RankState& me, Communicator& file_comm, const Opening& opening, File& file) {
  file_comm.name = "file " + file.path;
  file.comm = file_comm.handle;
  file_comm.is_internal = true;
  OpenFiles& files = process_part<OpenFiles>(me.rank->job);
  int error = 0;
  if (file.posix != nullptr) {
    files.add(file_comm.shared->context, file.posix);
  } else {
    file.posix = files.find_or_open(file_comm.shared->context, file.path, file.open_flags(), error);
  }
  if (file.posix == nullptr) {
    return system_problem(error, file.path);
  }
  file.identity = file.posix->identity();
  file.pointer_path = hidden_path(file.path, opening.token);
  if ((file.amode & MPI_MODE_APPEND) != 0) {
    file.position = file.pointer_start = static_cast<std::int64_t>(opening.bytes);
  }
  return {};
}

int open_file(const Entry& entry, Communicator& comm, std::unique_ptr<File> file, const Info* asked, MPI_File* fh) {
  RankState& me = entry.me;
  const Opening opening = allgather_value(entry, comm, comm.rank == 0 ? open_first(*file) : Opening{})[0];
  if (opening.error != 0) {
    return raise(entry, nullptr, system_problem(opening.error, file->path));
  }
  file->hints = hints_for(me, comm, asked);
  Communicator& file_comm = duplicate(me, comm);
  if (const int error = raise_collectively(entry, nullptr, file_comm, open_on_member(me, file_comm, opening, *file));
      error != MPI_SUCCESS) {
    file.reset();
    remove_comm(me, file_comm);
    return error;
  }
  file->errhandler = hold_errhandler(me, me.part<Files>().null_errhandler);
  File& placed = *file;
  placed.handle = me.part<Files>().open.add<MPI_File>(std::move(file));
  *fh = placed.handle;
  return MPI_SUCCESS;
}

// Collective: waits until all members have finished with the file before it is deleted.
int close_file(const Entry& entry, File& file) {
  const Communicator& comm = *find_comm(entry.me, file.comm);
  int error = 0;
  barrier_of_members(entry, comm);
  if (comm.rank == 0) {
    file.shared_pointer().remove();
    const bool stays = (file.amode & MPI_MODE_DELETE_ON_CLOSE) == 0;
    error = stays || unlink(file.path.c_str()) == 0 ? 0 : errno;
  }
  if ((file.amode & MPI_MODE_DELETE_ON_CLOSE) != 0) {
    error = allgather_value(entry, comm, error)[0];
  }
  return error;
}

int file_open(const Entry& entry, MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* fh) {
  Communicator* const found = find_comm(entry.me, comm);
  if (found == nullptr || found->is_inter()) {
    return raise(entry, nullptr,
                 problem(MPI_ERR_COMM, "comm is {}",
                         found == nullptr ? "not a communicator of this rank" : "an intercommunicator"));
  }
  if (fh != nullptr) {
    *fh = MPI_FILE_NULL;
  }
  if (const int error = refuse_if_fault_tolerant(entry, *found, "files"); error != MPI_SUCCESS) {
    return error;
  }
  const Problem wrong = check_open(entry.me, filename, amode, info, fh);
  if (const int error = raise_unless_same(entry, nullptr, *found, wrong, {"amodes", amode}); error != MPI_SUCCESS) {
    return error;
  }
  auto file = std::make_unique<File>();
  file->path = path_of(filename);
  file->amode = amode;
  file->view = FileView::plain();
  return open_file(entry, *found, std::move(file), find_info(entry.me, info), fh);
}

int file_close(const Entry& entry, MPI_File* fh) {
  if (fh == nullptr) {
    return raise_null(entry, nullptr, "fh");
  }
  int error = MPI_SUCCESS;
  File* const file = checked_file(entry, *fh, error);
  if (file == nullptr) {
    return error;
  }
  if (file->split != Split::none) {
    return raise(entry, file, problem(MPI_ERR_IO, "a split collective call is pending on {}", file->path));
  }
  RankState& me = entry.me;
  const Problem lost = system_problem(close_file(entry, *file), file->path);
  error = lost ? raise(entry, file, lost) : MPI_SUCCESS;
  release_errhandler(me, file->errhandler);
  Communicator& comm = *find_comm(me, file->comm);
  me.part<Files>().open.remove(*fh);
  remove_comm(me, comm);
  *fh = MPI_FILE_NULL;
  return error;
}

int file_delete(const Entry& entry, const char* filename, MPI_Info /*info*/) {
  if (filename == nullptr) {
    return raise_null(entry, nullptr, "filename");
  }
  const std::string path = path_of(filename);
  const int error = unlink(path.c_str()) == 0 ? 0 : errno;
  return error == 0 ? MPI_SUCCESS : raise(entry, nullptr, system_problem(error, path));
}

}  // namespace

#include "mpi_shim/generated/io/open_calls.inc"
