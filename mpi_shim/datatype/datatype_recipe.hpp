// The constructor call of a datatype, as MPI_Type_get_envelope and MPI_Type_get_contents return it.
#pragma once

#include <memory>
#include <vector>

#include "mpi.h"
#include "mpi_shim/datatype/datatype.hpp"

namespace weft::mpi_shim {
inline namespace datatype {

// The arguments of the constructor's call, in the order of MPI-4.0 section 5.1.13. Constant after construction.
struct DatatypeRecipe {
  int combiner = MPI_COMBINER_NAMED;
  std::vector<int> integers = {};
  std::vector<MPI_Aint> addresses = {};
  std::vector<MPI_Count> counts = {};  // the counts and displacements of large-count forms
  std::vector<std::shared_ptr<const Datatype>> types = {};

  void pup(pup::Puper& p) { p | combiner | integers | addresses | counts | types; }
};

}  // namespace datatype
}  // namespace weft::mpi_shim
