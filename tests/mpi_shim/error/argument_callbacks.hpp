// Functions of a program that MPI may call: they do the least that MPI asks of them.
#pragma once

#include <type_traits>

#include "mpi.h"

namespace weft::mpi_shim::fuzz {

template <typename Function>
struct Callback;

template <typename Result, typename... Arguments>
struct Callback<Result(Arguments...)> {
  static Result call(Arguments...) {
    if constexpr (!std::is_void_v<Result>) {
      return MPI_SUCCESS;
    }
  }
};

// Error handlers.
template <typename Handle>
struct Callback<void(Handle*, int*, ...)> {
  static void call(Handle*, int*, ...) {}
};

// Copies of attributes.
template <typename Handle>
struct Callback<int(Handle, int, void*, void*, void*, int*)> {
  static int call(Handle, int keyval, void*, void* in, void* out, int* flag) {
    *static_cast<void**>(out) = in;
    *flag = keyval % 2;
    return keyval % 7 == 6 ? MPI_ERR_OTHER : MPI_SUCCESS;
  }
};

template <>
struct Callback<MPI_Grequest_query_function> {
  static int call(void*, MPI_Status* status) {
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
  }
};

template <>
struct Callback<MPI_Datarep_extent_function> {
  static int call(MPI_Datatype, MPI_Aint* extent, void*) {
    *extent = 8;
    return MPI_SUCCESS;
  }
};

}  // namespace weft::mpi_shim::fuzz
