// The state of a file that a rank has opened with MPI_File_open.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "mpi.h"
#include "mpi_shim/info/info.hpp"
#include "mpi_shim/io/file_map.hpp"
#include "mpi_shim/io/posix_file.hpp"
#include "mpi_shim/io/representation.hpp"
#include "mpi_shim/state/handles.hpp"
#include "mpi_shim/state/rank_part.hpp"

namespace weft::mpi_shim::io {

struct FileView {
  MPI_Offset displacement = 0;
  std::shared_ptr<const Datatype> etype, filetype;
  std::string representation = "native";
  std::uint64_t etype_bytes = 1;  // in the file
  FileMap map;

  // The whole file as bytes.
  static FileView plain();
  void pup(pup::Puper& p) { p | displacement | etype | filetype | representation | etype_bytes | map; }
};

// Which split collective call has begun and not ended.
enum class Split : std::uint8_t { none, read_all, read_at_all, read_ordered, write_all, write_at_all, write_ordered };

// Owned by its rank. It does not own the process's descriptor, which is found or opened when it is needed, so that the
// rank can move to another process.
struct File {
  MPI_File handle = MPI_FILE_NULL;
  MPI_Comm comm = MPI_COMM_NULL;  // a duplicate for this file, named after it
  MPI_Errhandler errhandler = MPI_ERRORS_RETURN;
  std::string path;  // absolute
  int amode = 0;
  Info hints;
  FileView view;
  std::int64_t position = 0;  // the individual pointer, in etypes of the view
  bool atomic = false;
  std::string pointer_path;        // hidden file that holds the shared file pointer
  std::int64_t pointer_start = 0;  // the shared pointer until it is first moved, in etypes
  FileIdentity identity;
  Split split = Split::none;
  std::uint64_t split_bytes = 0;     // transferred by the begun call
  std::shared_ptr<PosixFile> posix;  // null after a move, until it is needed

  SharedFilePointer shared_pointer() const { return {pointer_path, pointer_start}; }
  int open_flags() const;  // for open(2), without creation flags
  // Why the rank cannot leave its process, or null.
  const char* pinned() const;
  // Packs what another process needs to reopen the file. After unpacking the file has no descriptor yet.
  void pup(pup::Puper& p);
};

// The open files of a rank, and what else MPI-IO keeps for it.
struct Files final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::files;
  HandleTable<File, HandleKind::file> open;
  MPI_Errhandler null_errhandler = MPI_ERRORS_RETURN;  // of MPI_FILE_NULL: for new files, and for calls without a file
  std::map<std::string, RegisteredDatarep> representations;  // by name, those of MPI_Register_datarep
  // File sizes in bytes when the rank was packed, by path, for roll_back(). -1: not known.
  std::map<std::string, std::int64_t> lengths;

  const char* pinned(const RankState& me) const override;
  std::string roll_back(RankState& me, bool cut) const override;
  void pup(pup::Puper& p, RankState& me) override;
  void add_leaks(const Creations& creations, std::vector<Leak>& leaks) const override;
};

// The file's descriptor in this process. Null, with the errno in `error`, if the file was deleted or replaced.
PosixFile* descriptor(RankState& me, File& file, int& error);

}  // namespace weft::mpi_shim::io
