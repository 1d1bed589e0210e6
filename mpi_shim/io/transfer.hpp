// The data calls: every one reads or writes a buffer at a position of the file, alone or together with the other
// members.
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

// MPI_SUCCESS and the bytes moved in `bytes`, or what was raised.
int transfer_alone(const Entry& entry, const DataCall& call, std::uint64_t& bytes);
// Collective, suspends. At the shared pointer members follow each other by their numbers.
int transfer_together(const Entry& entry, const DataCall& call, std::uint64_t& bytes);

// The calls of the standard made of these. A non-blocking call is complete at once; a collective one then is each
// member's own affair, because nobody may have to wait in it.
int transfer_now(const Entry& entry, const DataCall& call, MPI_Status* status);
int transfer_together_now(const Entry& entry, const DataCall& call, MPI_Status* status);
int start_transfer(const Entry& entry, const DataCall& call, MPI_Request* request);
// A split call does all that it does in its first half.
int begin_split(const Entry& entry, Split kind, const DataCall& call);
int end_split(const Entry& entry, Split kind, MPI_File handle, MPI_Status* status);

}  // namespace weft::mpi_shim::io
