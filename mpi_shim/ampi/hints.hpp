// What AMPI_Migrate's info object asks for.
#pragma once

#include <string>

#include "mpi_shim/entry/entry.hpp"

namespace weft::mpi_shim {
inline namespace ampi {

struct MigrateHints {
  bool balance = false;
  std::string checkpoint_dir;  // empty: no checkpoint
  bool image = false;          // a checkpoint in memory, of a job of --survive
};

// MPI_SUCCESS, or the code of an error that has been raised: a value that is not known, or one that is not supported.
// Other keys say nothing, as everywhere in MPI.
int read_hints(const Entry& entry, MPI_Info info, MigrateHints& hints);

}  // namespace ampi
}  // namespace weft::mpi_shim
