#include "mpi_shim/io/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "mpi_shim/state/process_state.hpp"
#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim::io {

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
  struct stat found = {};
  const bool is_there = stat(path.c_str(), &found) == 0 && FileIdentity{found.st_dev, found.st_ino} == identity;
  return is_there ? nullptr : "it has a file open, by MPI_File_open, that has lost its name";
}

void File::pup(pup::Puper& p) {
  pup::same_address(p, handle);
  pup::same_address(p, comm);
  pup::same_address(p, errhandler);
  if (p.packing()) {
    shared_pointer().get(pointer_start);  // a checkpoint's reader finds no hidden file
  }
  p | path | amode | hints | view | position | atomic | pointer_path | pointer_start;
  p | identity.device | identity.inode | split | split_bytes;
}

const char* Files::pinned(const RankState& /*me*/) const {
  const char* why = nullptr;
  open.for_each([&](const File& file) { why = why == nullptr ? file.pinned() : why; });
  return why;
}

void Files::pup(pup::Puper& p, RankState& /*me*/) {
  p | open | representations;
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
