// The internal fields of MPI_Status: the bytes received and the cancelled flag.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "mpi.h"

namespace weft::mpi_shim {
inline namespace request {

inline void set_status_bytes(MPI_Status& status, std::uint64_t bytes) {
  std::memcpy(&status.MPI_internal[0], &bytes, sizeof bytes);
}
inline std::uint64_t status_bytes(const MPI_Status& status) {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, &status.MPI_internal[0], sizeof bytes);
  return bytes;
}
inline void set_status_cancelled(MPI_Status& status, bool cancelled) { status.MPI_internal[2] = cancelled ? 1 : 0; }
inline bool status_cancelled(const MPI_Status& status) { return status.MPI_internal[2] != 0; }

// Leaves MPI_ERROR alone, as calls that return one status must.
inline void fill_status(MPI_Status& status, int source, int tag, std::uint64_t bytes, bool cancelled = false) {
  status.MPI_SOURCE = source;
  status.MPI_TAG = tag;
  set_status_bytes(status, bytes);
  set_status_cancelled(status, cancelled);
}

// The empty status of MPI-4.0 section 3.7.3.
inline void fill_empty_status(MPI_Status& status) {
  fill_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0);
  status.MPI_ERROR = MPI_SUCCESS;
}

}  // namespace request
}  // namespace weft::mpi_shim
