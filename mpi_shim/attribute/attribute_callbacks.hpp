// Copies, sets and deletes attributes, and calls the callbacks of their key values.
#pragma once

#include <cstdint>

#include "mpi_shim/attribute/attributes.hpp"
#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace attribute {

// MPI_Comm_dup, MPI_Type_dup: runs the copy callbacks of `from` for the object whose handle is `old_handle` and fills
// `to`. MPI_SUCCESS or the first callback's error; `to` then holds what was copied before it.
int copy_attributes(RankState& me, std::uintptr_t old_handle, const Attributes& from, Attributes& to);

// MPI_Comm_free, MPI_Type_free: runs the delete callbacks, beginning with the attribute set last. MPI_SUCCESS, or the
// first callback's error: it stops there, and the object must not be freed.
int delete_attributes(RankState& me, std::uintptr_t handle, Attributes& attributes);

// `number` must be a live key value of the object's kind. MPI_SUCCESS or the delete callback's error; deleting an
// attribute that is not set is MPI_ERR_KEYVAL.
int set_attribute(RankState& me, std::uintptr_t handle, Attributes& attributes, int number, void* value);
int delete_attribute(RankState& me, std::uintptr_t handle, Attributes& attributes, int number);

}  // namespace attribute
}  // namespace weft::mpi_shim
