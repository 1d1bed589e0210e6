// Handles calls of MPI functions that this version does not support.
#pragma once

#include <cstddef>
#include <span>

extern "C" {
// Prints once per rank, function and process that `function` ("MPI_Xxx") is not supported, and raises
// MPI_ERR_UNSUPPORTED_OPERATION through the handler of fallback_comm(). Returns that class if the handler returns. The
// name stays where it is after the call: reports show it as the rank's last call.
[[gnu::visibility("default")]] int weft_mpi_unsupported(const char* function);

// The names ("MPI_Xxx") of the functions that are not supported, in the table's order, and their number in *count.
[[gnu::visibility("default")]] const char* const* weft_unsupported_functions(std::size_t* count);
}

namespace weft::mpi_shim {
inline namespace entry {

// The same list, from the status column of the table.
std::span<const char* const> unsupported_functions();

}  // namespace entry
}  // namespace weft::mpi_shim
