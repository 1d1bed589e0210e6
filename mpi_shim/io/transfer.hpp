// The data access calls: each reads or writes a buffer at a position of the file, independently or collectively.
#pragma once

#include "mpi_shim/io/access.hpp"

namespace weft::mpi_shim::io {

enum class FilePosition : std::uint8_t { at_offset, at_pointer, at_shared_pointer };

// The arguments as the user gave them.
struct DataCall {
  bool writes;
  FilePosition position;
  MPI_File file;
  MPI_Offset offset;  // in etypes, for FilePosition::at_offset
  const void* buffer;
  MPI_Count count;
  MPI_Datatype datatype;
};

// MPI_SUCCESS and the bytes transferred in `bytes`, or the raised error.
int transfer_independent(const Entry& entry, const DataCall& call, std::uint64_t& bytes);
// Collective; suspends the rank. At the shared pointer the members' data follow each other in the order of ranks.
int transfer_collective(const Entry& entry, const DataCall& call, std::uint64_t& bytes);

// The calls of the standard. A non-blocking call transfers its data at once, and independently even if it is
// collective, because it must not wait for other members.
int transfer_blocking(const Entry& entry, const DataCall& call, MPI_Status* status);
int transfer_collective_blocking(const Entry& entry, const DataCall& call, MPI_Status* status);
int start_transfer(const Entry& entry, const DataCall& call, MPI_Request* request);
// A split collective call transfers its data in its begin call.
int begin_split(const Entry& entry, Split kind, const DataCall& call);
int end_split(const Entry& entry, Split kind, MPI_File handle, MPI_Status* status);

}  // namespace weft::mpi_shim::io
