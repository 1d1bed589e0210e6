// What a rank keeps for each file that it has open with MPI_File_open.
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

// Which split collective call has begun and waits for its end.
enum class Split : std::uint8_t { none, read_all, read_at_all, read_ordered, write_all, write_at_all, write_ordered };

// Owned by its rank. The process's descriptor is not part of it: it is found or opened when it is needed, so that the
// rank can move to another process.
struct File {
  MPI_File handle = MPI_FILE_NULL;
  MPI_Comm comm = MPI_COMM_NULL;  // the file's own; its name is the file's
  MPI_Errhandler errhandler = MPI_ERRORS_RETURN;
  std::string path;  // absolute
  int amode = 0;
  Info hints;
  FileView view;
  std::int64_t position = 0;  // the individual pointer, in etypes of the view
  bool atomic = false;
  std::string pointer_path;        // the shared pointer's hidden file
  std::int64_t pointer_start = 0;  // where it stands until it is first moved, in etypes
  FileIdentity identity;
  Split split = Split::none;
  std::uint64_t split_bytes = 0;     // what the begun call has moved
  std::shared_ptr<PosixFile> posix;  // null after a move, until it is needed

  SharedPointer shared_pointer() const { return {pointer_path, pointer_start}; }
  int open_flags() const;  // of a file that exists
  // Why the rank cannot leave its process, or null.
  const char* pinned() const;
  // What the layer needs of the file again elsewhere. Unpacked, the file is not open.
  void pup(pup::Puper& p);
};

// A rank's files, and what else MPI-IO keeps for it.
struct Files final : RankPart {
  static constexpr RankPartId kRankPart = RankPartId::files;
  HandleTable<File, Kind::file> open;
  MPI_Errhandler null_errhandler = MPI_ERRORS_RETURN;  // MPI_FILE_NULL's: of files to be, and of calls without one
  std::map<std::string, Registered> representations;   // by name, those of MPI_Register_datarep
  // By path, in bytes, when the rank was packed: of files that it rolls back. -1: not known.
  std::map<std::string, std::int64_t> lengths;

  const char* pinned(const RankState& me) const override;
  std::string roll_back(RankState& me, bool cut) const override;
  void pup(pup::Puper& p, RankState& me) override;
  void add_leaks(const Creations& creations, std::vector<Leak>& leaks) const override;
};

// The descriptor in this process. Null and the errno in `error`: the file has gone, or another one has its name.
PosixFile* descriptor(RankState& me, File& file, int& error);

}  // namespace weft::mpi_shim::io
