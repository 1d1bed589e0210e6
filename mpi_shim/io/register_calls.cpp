// MPI_Register_datarep.
#include <string_view>

#include "mpi_shim/io/problem.hpp"

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::io;

namespace {

int register_representation(const Entry& entry, const char* name, const RegisteredDatarep& own) {
  if (name == nullptr || *name == '\0' || std::string_view(name).size() >= MPI_MAX_DATAREP_STRING) {
    return raise(
        entry, nullptr,
        problem(MPI_ERR_ARG, "datarep has no name, or one of more than {} characters", MPI_MAX_DATAREP_STRING - 1));
  }
  if (own.extent == nullptr) {
    return raise_null(entry, nullptr, "dtype_file_extent_fn");
  }
  if (find_representation(entry.me, name)) {
    return raise(entry, nullptr, problem(MPI_ERR_DUP_DATAREP, "datarep \"{}\" is there already", name));
  }
  entry.me.part<Files>().representations.emplace(name, own);
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/io/register_calls.inc"
