// MPI_Type_commit, MPI_Type_free, MPI_Type_dup, and queries of datatypes.
#include <algorithm>
#include <cstring>
#include <limits>

#include "mpi_shim/attribute/attribute_callbacks.hpp"
#include "mpi_shim/datatype/datatype_create.hpp"
#include "mpi_shim/datatype/datatype_f90.hpp"

namespace weft::mpi_shim {
inline namespace datatype {

namespace {

const Datatype* checked_type(const Entry& entry, MPI_Datatype handle, int& error) {
  const Datatype* const type = find_datatype(entry.me, handle);
  if (type == nullptr) {
    error = entry.raise(MPI_COMM_NULL, MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL or not a datatype of this rank");
  }
  return type;
}

// A user's type by the address of its handle; null after an error was raised.
std::shared_ptr<Datatype>* derived_type(const Entry& entry, const MPI_Datatype* handle, int& error) {
  if (handle == nullptr) {
    error = entry.null_argument(MPI_COMM_NULL, "datatype");
    return nullptr;
  }
  return checked_type(entry, *handle, error) == nullptr ? nullptr : entry.me.datatypes.find(*handle);
}

int commit(const Entry& entry, const MPI_Datatype* handle) {
  int error = MPI_SUCCESS;
  if (std::shared_ptr<Datatype>* const type = derived_type(entry, handle, error); type != nullptr) {
    (*type)->committed = true;
  }
  return error;  // a predefined type is committed already
}

int free_type(const Entry& entry, MPI_Datatype* handle) {
  int error = MPI_SUCCESS;
  std::shared_ptr<Datatype>* const type = derived_type(entry, handle, error);
  if (type == nullptr) {
    return error != MPI_SUCCESS ? error
                                : entry.raise(MPI_COMM_NULL, MPI_ERR_TYPE, "a predefined datatype cannot be freed");
  }
  if (is_f90((*type)->recipe())) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_TYPE, "a datatype of a Fortran kind cannot be freed");
  }
  error = delete_attributes(entry.me, handle_value(*handle), (*type)->attributes);
  if (error != MPI_SUCCESS) {
    return entry.raise(MPI_COMM_NULL, error, "the delete callback of an attribute failed");
  }
  static_cast<void>(entry.me.datatypes.remove(*handle));
  *handle = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

int duplicate(const Entry& entry, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  int error = MPI_SUCCESS;
  const Datatype* const type = checked_type(entry, oldtype, error);
  if (type == nullptr) {
    return error;
  }
  std::shared_ptr<Datatype> copy = DatatypeBuilder::copy(*type);
  error = copy_attributes(entry.me, handle_value(oldtype), datatype_attributes(entry.me, *type), copy->attributes);
  if (error != MPI_SUCCESS) {
    if (newtype != nullptr) {
      *newtype = MPI_DATATYPE_NULL;
    }
    return entry.raise(MPI_COMM_NULL, error, "the copy callback of an attribute failed");
  }
  DatatypeRecipe recipe{.combiner = MPI_COMBINER_DUP};
  recipe.types.push_back(shared(*type));
  return return_new_type(entry, std::move(copy), std::move(recipe), newtype);
}

// The value, or MPI_UNDEFINED if it does not fit.
template <typename Number>
Number narrowed(MPI_Count value) {
  const bool fits = value >= std::numeric_limits<Number>::min() && value <= std::numeric_limits<Number>::max();
  return fits ? static_cast<Number>(value) : static_cast<Number>(MPI_UNDEFINED);
}

template <typename Number>
int type_size(const Entry& entry, MPI_Datatype datatype, Number* result) {
  if (result == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "size");
  }
  int error = MPI_SUCCESS;
  if (const Datatype* const type = checked_type(entry, datatype, error); type != nullptr) {
    *result = narrowed<Number>(static_cast<MPI_Count>(type->size()));
  }
  return error;
}

template <typename Number>
int type_extent(const Entry& entry, MPI_Datatype datatype, Number* lower, Number* result) {
  if (lower == nullptr || result == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, lower == nullptr ? "lb" : "extent");
  }
  int error = MPI_SUCCESS;
  if (const Datatype* const type = checked_type(entry, datatype, error); type != nullptr) {
    *lower = type->lower_bound();
    *result = type->extent();
  }
  return error;
}

template <typename Number>
int type_true_extent(const Entry& entry, MPI_Datatype datatype, Number* lower, Number* result) {
  if (lower == nullptr || result == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, lower == nullptr ? "lb" : "extent");
  }
  int error = MPI_SUCCESS;
  if (const Datatype* const type = checked_type(entry, datatype, error); type != nullptr) {
    *lower = type->true_lower_bound();
    *result = type->true_extent();
  }
  return error;
}

int set_name(const Entry& entry, MPI_Datatype datatype, const char* name) {
  int error = MPI_SUCCESS;
  const Datatype* const type = checked_type(entry, datatype, error);
  if (type == nullptr || name == nullptr) {
    return type == nullptr ? error : entry.null_argument(MPI_COMM_NULL, "type_name");
  }
  std::string& kept =
      type->predefined() ? entry.me.predefined_annotations[datatype].name : (*entry.me.datatypes.find(datatype))->name;
  kept.assign(name, ::strnlen(name, MPI_MAX_OBJECT_NAME - 1));
  return MPI_SUCCESS;
}

const std::string& name_of(const RankState& me, const Datatype& type) {
  if (type.predefined()) {
    const auto mark = me.predefined_annotations.find(type.handle);
    if (mark != me.predefined_annotations.end() && !mark->second.name.empty()) {
      return mark->second.name;
    }
  }
  return type.name;
}

int get_name(const Entry& entry, MPI_Datatype datatype, char* name, int* length) {
  if (datatype == MPI_DATATYPE_NULL) {  // has a name, like the predefined types
    std::strcpy(name, "MPI_DATATYPE_NULL");
    *length = static_cast<int>(std::strlen(name));
    return MPI_SUCCESS;
  }
  int error = MPI_SUCCESS;
  if (const Datatype* const type = checked_type(entry, datatype, error); type != nullptr) {
    const std::string& kept = name_of(entry.me, *type);
    std::memcpy(name, kept.c_str(), kept.size() + 1);
    *length = static_cast<int>(kept.size());
  }
  return error;
}

}  // namespace

}  // namespace datatype
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

extern "C" {

int PMPI_Get_address(const void* location, MPI_Aint* address) {
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}
}

#include "mpi_shim/generated/datatype/datatype_access.inc"
