// The individual and the shared file pointer, in etypes of the view.
#include "mpi_shim/io/allgather_value.hpp"
#include "mpi_shim/io/problem.hpp"

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::io;

namespace {

Problem check_not_sequential(const File& file) {
  if ((file.amode & MPI_MODE_SEQUENTIAL) != 0) {
    return problem(MPI_ERR_UNSUPPORTED_OPERATION, "{} is open with MPI_MODE_SEQUENTIAL", file.path);
  }
  return {};
}

// The first position beyond the file's last etype, which may be incomplete.
Problem find_end(RankState& me, File& file, std::int64_t& end) {
  int error = 0;
  std::uint64_t bytes = 0;
  PosixFile* const posix = descriptor(me, file, error);
  error = posix == nullptr ? error : posix->size(bytes);
  const std::uint64_t etype = file.view.etype_bytes;
  end = static_cast<std::int64_t>((file.view.map.position_at(bytes) + etype - 1) / etype);
  return system_problem(error, file.path);
}

// Computes the pointer's new position: `current` is the old one and receives the new one.
Problem find_target(RankState& me, File& file, MPI_Offset offset, int whence, std::int64_t& current) {
  std::int64_t from = 0;
  if (whence == MPI_SEEK_CUR) {
    from = current;
  } else if (whence == MPI_SEEK_END) {
    if (Problem lost = find_end(me, file, from)) {
      return lost;
    }
  } else if (whence != MPI_SEEK_SET) {
    return problem(MPI_ERR_ARG, "whence {} is not MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END", whence);
  }
  if (from + offset < 0) {
    return problem(MPI_ERR_ARG, "offset {} leads before the beginning of the view", offset);
  }
  current = from + offset;
  return {};
}

int get_position(const Entry& entry, MPI_File fh, MPI_Offset* offset, bool of_all) {
  int error = MPI_SUCCESS;
  File* const file = checked_file(entry, fh, error);
  if (file == nullptr) {
    return error;
  }
  if (offset == nullptr) {
    return raise_null(entry, file, "offset");
  }
  std::int64_t position = file->position;
  const Problem wrong =
      of_all ? system_problem(file->shared_pointer().get(position), file->pointer_path) : check_not_sequential(*file);
  *offset = position;
  return wrong ? raise(entry, file, wrong) : MPI_SUCCESS;
}

struct Target {
  std::int64_t position = 0;
  int error_class = MPI_SUCCESS;
};

// Member 0 moves the shared pointer while the others wait.
Problem move_shared(const Entry& entry, const Communicator& comm, File& file, MPI_Offset offset, int whence) {
  Target target;
  Problem wrong;
  if (comm.rank == 0) {
    const SharedFilePointer pointer = file.shared_pointer();
    wrong = system_problem(pointer.get(target.position), file.pointer_path);
    wrong = wrong ? wrong : find_target(entry.me, file, offset, whence, target.position);
    wrong = wrong ? wrong : system_problem(pointer.reset(target.position), file.pointer_path);
    target.error_class = wrong.error_class;
  }
  target = allgather_value(entry, comm, target)[0];
  if (target.error_class == MPI_SUCCESS) {
    file.pointer_start = target.position;
  } else if (!wrong) {
    wrong = problem(target.error_class, "offset {} does not lead to a place of {}", offset, file.path);
  }
  return wrong;
}

int file_seek(const Entry& entry, File& file, MPI_Offset offset, int whence) {
  Problem wrong = check_not_sequential(file);
  wrong = wrong ? wrong : find_target(entry.me, file, offset, whence, file.position);
  return wrong ? raise(entry, &file, wrong) : MPI_SUCCESS;
}

int file_seek_shared(const Entry& entry, File& file, MPI_Offset offset, int whence) {
  int error = MPI_SUCCESS;
  const Communicator& comm = *find_comm(entry.me, file.comm);
  // Compares both arguments at once: whence is a small number, and offsets have few bits above 2^48.
  const std::int64_t both = offset ^ static_cast<std::int64_t>(whence) << 48;
  error = raise_unless_same(entry, &file, comm, check_not_sequential(file), {"offsets", both});
  if (error != MPI_SUCCESS) {
    return error;
  }
  const Problem wrong = move_shared(entry, comm, file, offset, whence);
  return wrong ? raise(entry, &file, wrong) : MPI_SUCCESS;
}

int file_get_byte_offset(const Entry& entry, File& file, MPI_Offset offset, MPI_Offset* disp) {
  Problem wrong = check_not_sequential(file);
  if (!wrong && (offset < 0 || disp == nullptr)) {
    wrong = problem(MPI_ERR_ARG, "{}", disp == nullptr ? "disp is a null pointer" : "offset is negative");
  }
  if (wrong) {
    return raise(entry, &file, wrong);
  }
  *disp = static_cast<MPI_Offset>(file.view.map.offset_of(static_cast<std::uint64_t>(offset) * file.view.etype_bytes));
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/io/pointer_calls.inc"
