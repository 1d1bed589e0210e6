// Datatypes of Fortran kinds by precision and range. They behave like predefined types: the same arguments give the
// same handle, and programs do not free it.
#pragma once

#include "mpi_shim/datatype/datatype_recipe.hpp"
#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace datatype {

inline bool is_f90(const DatatypeRecipe* recipe) {
  return recipe != nullptr &&
         (recipe->combiner == MPI_COMBINER_F90_REAL || recipe->combiner == MPI_COMBINER_F90_COMPLEX ||
          recipe->combiner == MPI_COMBINER_F90_INTEGER);
}

// The rank's handle for such a type, or MPI_DATATYPE_NULL.
MPI_Datatype find_f90(const RankState& me, const DatatypeRecipe& recipe);

}  // namespace datatype
}  // namespace weft::mpi_shim
