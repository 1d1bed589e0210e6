#include "mpi_shim/io/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "mpi_shim/state/process_state.hpp"
#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim::io {

namespace {

// The file's size in bytes; -1 if it was deleted or replaced.
std::int64_t length_of(const File& file) {
  struct stat found = {};
  const bool is_it = stat(file.path.c_str(), &found) == 0 && FileIdentity{found.st_dev, found.st_ino} == file.identity;
  return is_it ? found.st_size : -1;
}

// Truncates the file to `length` bytes; returns what is wrong, or an empty string. A replaced file is left alone: the
// next call of the program reports it.
std::string cut_to(const File& file, std::int64_t length) {
  const std::int64_t bytes = length_of(file);
  if (bytes >= 0 && bytes < length) {
    return fmt::format("file '{}' has {} bytes, at the image it had {}", file.path, bytes, length);
  }
  if (bytes > length && truncate(file.path.c_str(), length) != 0) {
    return fmt::format("file '{}' cannot be cut to the {} bytes that it had at the image: {}", file.path, length,
                       std::strerror(errno));
  }
  return {};
}

}  // namespace

FileView FileView::plain() {
  FileView view;
  view.etype = shared(*predefined_datatype(MPI_BYTE));
  view.filetype = view.etype;
  view.map = FileMap(0);
  return view;
}

int File::open_flags() const {
  return (amode & MPI_MODE_RDONLY) != 0 ? O_RDONLY : (amode & MPI_MODE_WRONLY) != 0 ? O_WRONLY : O_RDWR;
}

const char* File::pinned() const {
  return length_of(*this) >= 0 ? nullptr : "it has a file open, by MPI_File_open, that has lost its name";
}

void File::pup(pup::Puper& p) {
  pup::same_address(p, handle);
  pup::same_address(p, comm);
  pup::same_address(p, errhandler);
  if (p.packing()) {
    shared_pointer().get(pointer_start);  // a job that restarts from a checkpoint may find no hidden file
  }
  p | path | amode | hints | view | position | atomic | pointer_path | pointer_start;
  p | identity.device | identity.inode | split | split_bytes;
}

const char* Files::pinned(const RankState& /*me*/) const {
  const char* why = nullptr;
  open.for_each([&](const File& file) { why = why == nullptr ? file.pinned() : why; });
  return why;
}

// The member with rank 0 rolls the file back for all.
std::string Files::roll_back(RankState& me, bool cut) const {
  std::string wrong;
  open.for_each([&](const File& file) {
    if (!wrong.empty() || find_comm(me, file.comm)->rank != 0) {
      return;
    }
    if (const int error = file.shared_pointer().reset(file.pointer_start); error != 0) {
      wrong = fmt::format("the shared pointer in {} cannot be set back: {}", file.pointer_path, std::strerror(error));
    } else if (const auto length = lengths.find(file.path); cut && length != lengths.end() && length->second >= 0) {
      wrong = cut_to(file, length->second);
    }
  });
  return wrong;
}

void Files::pup(pup::Puper& p, RankState& me) {
  if (!p.unpacking()) {
    lengths.clear();
    open.for_each([&](const File& file) {
      if ((file.amode & MPI_MODE_RDONLY) == 0 && find_comm(me, file.comm)->rank == 0) {
        lengths[file.path] = length_of(file);
      }
    });
  }
  p | open | representations | lengths;
  pup::same_address(p, null_errhandler);
}

void Files::add_leaks(const Creations& creations, std::vector<Leak>& leaks) const {
  add_unfreed(leaks, open, creations, "file never closed");
}

PosixFile* descriptor(RankState& me, File& file, int& error) {
  error = 0;
  if (file.posix == nullptr) {
    const std::uint32_t context = find_comm(me, file.comm)->shared->context;
    file.posix = process_part<OpenFiles>(me.rank->job).find_or_open(context, file.path, file.open_flags(), error);
    if (file.posix != nullptr && file.posix->identity() != file.identity) {
      error = ESTALE;
      file.posix = nullptr;
    }
  }
  return file.posix.get();
}

}  // namespace weft::mpi_shim::io
