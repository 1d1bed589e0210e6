// Reads the info object of AMPI_Migrate.
#pragma once

#include <string>

#include "mpi_shim/entry/entry.hpp"

namespace weft::mpi_shim {
inline namespace ampi {

struct MigrateHints {
  bool balance = false;
  std::string checkpoint_dir;      // empty: no checkpoint
  bool memory_checkpoint = false;  // only in jobs of --survive
};

// MPI_SUCCESS, or the code of the error that was raised for an unknown or unsupported value. Unknown keys are ignored,
// as everywhere in MPI.
int read_hints(const Entry& entry, MPI_Info info, MigrateHints& hints);

}  // namespace ampi
}  // namespace weft::mpi_shim
