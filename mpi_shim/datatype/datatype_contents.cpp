// MPI_Type_get_envelope, MPI_Type_get_contents and the calls that find a predefined type by its properties.
#include <algorithm>

#include "mpi_shim/datatype/datatype_create.hpp"
#include "mpi_shim/datatype/datatype_f90.hpp"

namespace weft::mpi_shim {
inline namespace datatype {

namespace {

const DatatypeRecipe kNamed;  // of predefined types

// Null after an error was raised.
const DatatypeRecipe* recipe_of(const Entry& entry, MPI_Datatype handle, int& error) {
  const Datatype* const type = find_datatype(entry.me, handle);
  if (type == nullptr) {
    error = entry.raise(MPI_COMM_NULL, MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL or not a datatype of this rank");
    return nullptr;
  }
  return type->recipe() != nullptr ? type->recipe() : &kNamed;
}

// A handle for a type of a recipe. Predefined types and those of Fortran kinds have theirs already; for another type it
// is a new one, which the user frees.
MPI_Datatype handle_for_user(RankState& me, const Datatype& type) {
  if (is_f90(type.recipe())) {
    if (const MPI_Datatype handle = find_f90(me, *type.recipe()); handle != MPI_DATATYPE_NULL) {
      return handle;
    }
  }
  return type.predefined() ? type.handle : add_datatype(me, DatatypeBuilder::copy(type));
}

// Raises the error of a call whose int form cannot return large counts.
int refuse_large(const Entry& entry) {
  return entry.raise(MPI_COMM_NULL, MPI_ERR_TYPE,
                     "the datatype was made by a large-count call: ask for it by the call's large-count form");
}

int get_envelope(const Entry& entry, MPI_Datatype datatype, DatatypeRecipe const*& recipe) {
  int error = MPI_SUCCESS;
  recipe = recipe_of(entry, datatype, error);
  return error;
}

// An array of the caller, with room for `room` items.
template <typename T>
struct CallerArray {
  T* first;
  MPI_Count room;
};

// Where MPI_Type_get_contents writes.
struct ContentsArrays {
  CallerArray<int> integers;
  CallerArray<MPI_Aint> addresses;
  CallerArray<MPI_Count> counts;
  CallerArray<MPI_Datatype> types;
};

int get_contents(const Entry& entry, MPI_Datatype datatype, const ContentsArrays& to) {
  int error = MPI_SUCCESS;
  const DatatypeRecipe* const recipe = recipe_of(entry, datatype, error);
  if (recipe == nullptr) {
    return error;
  }
  if (recipe->combiner == MPI_COMBINER_NAMED) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_TYPE, "a predefined datatype has no contents");
  }
  const auto fits = [](const auto& array, const auto& list) {
    return array.room >= static_cast<MPI_Count>(list.size());
  };
  if (!fits(to.integers, recipe->integers) || !fits(to.addresses, recipe->addresses) ||
      !fits(to.counts, recipe->counts) || !fits(to.types, recipe->types)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "an array is shorter than MPI_Type_get_envelope said");
  }
  std::copy(recipe->integers.begin(), recipe->integers.end(), to.integers.first);
  std::copy(recipe->addresses.begin(), recipe->addresses.end(), to.addresses.first);
  std::copy(recipe->counts.begin(), recipe->counts.end(), to.counts.first);
  std::transform(recipe->types.begin(), recipe->types.end(), to.types.first,
                 [&](const auto& type) { return handle_for_user(entry.me, *type); });
  return MPI_SUCCESS;
}

struct Sized {
  int type_class;
  int bytes;
  MPI_Datatype type;
};

const Sized kSized[] = {
    {MPI_TYPECLASS_INTEGER, 1, MPI_INTEGER1},   {MPI_TYPECLASS_INTEGER, 2, MPI_INTEGER2},
    {MPI_TYPECLASS_INTEGER, 4, MPI_INTEGER4},   {MPI_TYPECLASS_INTEGER, 8, MPI_INTEGER8},
    {MPI_TYPECLASS_INTEGER, 16, MPI_INTEGER16}, {MPI_TYPECLASS_REAL, 2, MPI_REAL2},
    {MPI_TYPECLASS_REAL, 4, MPI_REAL4},         {MPI_TYPECLASS_REAL, 8, MPI_REAL8},
    {MPI_TYPECLASS_REAL, 16, MPI_REAL16},       {MPI_TYPECLASS_COMPLEX, 4, MPI_COMPLEX4},
    {MPI_TYPECLASS_COMPLEX, 8, MPI_COMPLEX8},   {MPI_TYPECLASS_COMPLEX, 16, MPI_COMPLEX16},
    {MPI_TYPECLASS_COMPLEX, 32, MPI_COMPLEX32},
};

struct Pair {
  MPI_Datatype value;
  MPI_Datatype index;
  MPI_Datatype pair;
};

const Pair kPairs[] = {
    {MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},      {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
    {MPI_LONG, MPI_INT, MPI_LONG_INT},        {MPI_INT, MPI_INT, MPI_2INT},
    {MPI_SHORT, MPI_INT, MPI_SHORT_INT},      {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
    {MPI_REAL, MPI_REAL, MPI_2REAL},          {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
    {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER},
};

int type_get_envelope(const Entry& entry, MPI_Datatype datatype, int* num_integers, int* num_addresses,
                      int* num_datatypes, int* combiner) {
  const DatatypeRecipe* recipe = nullptr;
  if (const int error = get_envelope(entry, datatype, recipe); error != MPI_SUCCESS) {
    return error;
  }
  if (!recipe->counts.empty()) {
    return refuse_large(entry);
  }
  *num_integers = static_cast<int>(recipe->integers.size());
  *num_addresses = static_cast<int>(recipe->addresses.size());
  *num_datatypes = static_cast<int>(recipe->types.size());
  *combiner = recipe->combiner;
  return MPI_SUCCESS;
}

int type_get_envelope_c(const Entry& entry, MPI_Datatype datatype, MPI_Count* num_integers, MPI_Count* num_addresses,
                        MPI_Count* num_large_counts, MPI_Count* num_datatypes, int* combiner) {
  const DatatypeRecipe* recipe = nullptr;
  if (const int error = get_envelope(entry, datatype, recipe); error != MPI_SUCCESS) {
    return error;
  }
  *num_integers = static_cast<MPI_Count>(recipe->integers.size());
  *num_addresses = static_cast<MPI_Count>(recipe->addresses.size());
  *num_large_counts = static_cast<MPI_Count>(recipe->counts.size());
  *num_datatypes = static_cast<MPI_Count>(recipe->types.size());
  *combiner = recipe->combiner;
  return MPI_SUCCESS;
}

int type_get_contents(const Entry& entry, MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
                      int array_of_integers[], MPI_Aint array_of_addresses[], MPI_Datatype array_of_datatypes[]) {
  const DatatypeRecipe* recipe = nullptr;
  if (const int error = get_envelope(entry, datatype, recipe); error != MPI_SUCCESS) {
    return error;
  }
  if (!recipe->counts.empty()) {
    return refuse_large(entry);
  }
  return get_contents(entry, datatype,
                      {{array_of_integers, max_integers},
                       {array_of_addresses, max_addresses},
                       {nullptr, 0},
                       {array_of_datatypes, max_datatypes}});
}

int type_match_size(const Entry& entry, int typeclass, int size, MPI_Datatype* datatype) {
  const auto* const found = std::find_if(std::begin(kSized), std::end(kSized), [&](const Sized& sized) {
    return sized.type_class == typeclass && sized.bytes == size;
  });
  if (found == std::end(kSized)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "no datatype of class {} has {} bytes", typeclass, size);
  }
  *datatype = found->type;
  return MPI_SUCCESS;
}

int type_get_value_index(const Entry& entry, MPI_Datatype value_type, MPI_Datatype index_type,
                         MPI_Datatype* pair_type) {
  if (find_datatype(entry.me, value_type) == nullptr || find_datatype(entry.me, index_type) == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_TYPE, "value_type or index_type is not a datatype of this rank");
  }
  if (pair_type == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "pair_type");
  }
  const auto* const found = std::find_if(std::begin(kPairs), std::end(kPairs), [&](const Pair& pair) {
    return pair.value == value_type && pair.index == index_type;
  });
  *pair_type = found == std::end(kPairs) ? MPI_DATATYPE_NULL : found->pair;
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace datatype
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/datatype/datatype_contents.inc"
