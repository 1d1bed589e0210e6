// MPI_Type_create_f90_integer, _real and _complex, by gfortran's kinds.
#include "mpi_shim/datatype/datatype_f90.hpp"

#include <iterator>

#include "mpi_shim/datatype/datatype_create.hpp"

namespace weft::mpi_shim {
inline namespace datatype {

MPI_Datatype find_f90(const RankState& me, const DatatypeRecipe& recipe) {
  MPI_Datatype found = MPI_DATATYPE_NULL;
  me.datatypes.for_each([&](const std::shared_ptr<Datatype>& type) {
    const DatatypeRecipe* const its = type->recipe();
    if (is_f90(its) && its->combiner == recipe.combiner && its->integers == recipe.integers) {
      found = type->handle;
    }
  });
  return found;
}

namespace {

struct IntegerKind {
  int range;  // decimal digits that all fit
  MPI_Datatype type;
};
const IntegerKind kIntegers[] = {
    {2, MPI_INTEGER1}, {4, MPI_INTEGER2}, {9, MPI_INTEGER4}, {18, MPI_INTEGER8}, {38, MPI_INTEGER16},
};

struct RealKind {
  int precision;  // decimal digits
  int range;      // decimal exponents
  MPI_Datatype real;
  MPI_Datatype complex;
};
const RealKind kReals[] = {
    {6, 37, MPI_REAL4, MPI_COMPLEX8},
    {15, 307, MPI_REAL8, MPI_COMPLEX16},
    {18, 4931, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX},
    {33, 4931, MPI_REAL16, MPI_COMPLEX32},
};

int return_f90_type(const Entry& entry, DatatypeRecipe recipe, MPI_Datatype base, MPI_Datatype* newtype) {
  if (newtype == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "newtype");
  }
  *newtype = find_f90(entry.me, recipe);
  if (*newtype != MPI_DATATYPE_NULL) {
    return MPI_SUCCESS;
  }
  std::shared_ptr<Datatype> type = DatatypeBuilder::copy(*predefined_datatype(base));
  type->committed = true;
  return return_new_type(entry, std::move(type), std::move(recipe), newtype);
}

int create_f90_floating(const Entry& entry, int precision, int range, int combiner, MPI_Datatype* newtype) {
  if (precision == MPI_UNDEFINED && range == MPI_UNDEFINED) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "p and r are both MPI_UNDEFINED");
  }
  for (const RealKind& kind : kReals) {
    if ((precision == MPI_UNDEFINED || precision <= kind.precision) &&
        (range == MPI_UNDEFINED || range <= kind.range)) {
      return return_f90_type(entry, {.combiner = combiner, .integers = {precision, range}},
                             combiner == MPI_COMBINER_F90_REAL ? kind.real : kind.complex, newtype);
    }
  }
  return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "no kind has {} digits and a decimal range of {}", precision, range);
}

int type_create_f90_integer(const Entry& entry, int r, MPI_Datatype* newtype) {
  for (const IntegerKind& kind : kIntegers) {
    if (r <= kind.range) {
      return return_f90_type(entry, {.combiner = MPI_COMBINER_F90_INTEGER, .integers = {r}}, kind.type, newtype);
    }
  }
  return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "no kind of integers has a decimal range of {}", r);
}

}  // namespace

}  // namespace datatype
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/datatype/datatype_f90.inc"
