// Calls that read or set an MPI_Status.
#include "mpi_shim/request/status.hpp"

#include <limits>
#include <optional>

#include "mpi_shim/datatype/signature.hpp"
#include "mpi_shim/entry/entry.hpp"

using namespace weft::mpi_shim;

namespace {

int refuse_type(const Entry& entry) {
  return entry.raise(MPI_COMM_NULL, MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL or not a datatype of this rank");
}

// MPI_UNDEFINED if there is no number or it does not fit.
template <typename Count>
Count as_count(std::optional<std::size_t> number) {
  const bool fits = number && *number <= static_cast<std::size_t>(std::numeric_limits<Count>::max());
  return fits ? static_cast<Count>(*number) : static_cast<Count>(MPI_UNDEFINED);
}

template <typename Count>
int get_count(const Entry& entry, const MPI_Status* status, MPI_Datatype datatype, Count* count) {
  const Datatype* const type = find_datatype(entry.me, datatype);
  if (type == nullptr) {
    return refuse_type(entry);
  }
  const std::uint64_t bytes = status_bytes(*status);
  if (type->size() == 0) {
    *count = bytes == 0 ? 0 : static_cast<Count>(MPI_UNDEFINED);
  } else if (bytes % type->size() != 0) {
    *count = static_cast<Count>(MPI_UNDEFINED);
  } else {
    *count = as_count<Count>(bytes / type->size());
  }
  return MPI_SUCCESS;
}

template <typename Count>
int get_elements(const Entry& entry, const MPI_Status* status, MPI_Datatype datatype, Count* count) {
  const Datatype* const type = find_datatype(entry.me, datatype);
  if (type == nullptr) {
    return refuse_type(entry);
  }
  *count = as_count<Count>(type->signature().elements_in(status_bytes(*status)));
  return MPI_SUCCESS;
}

int set_elements(const Entry& entry, MPI_Status* status, MPI_Datatype datatype, MPI_Count count) {
  const Datatype* const type = find_datatype(entry.me, datatype);
  if (type == nullptr) {
    return refuse_type(entry);
  }
  if (count < 0) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_COUNT, "count {} is negative", count);
  }
  set_status_bytes(*status, type->signature().bytes_of(static_cast<std::size_t>(count)));
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int PMPI_Status_set_cancelled(MPI_Status* status, int flag) {
  set_status_cancelled(*status, flag != 0);
  return MPI_SUCCESS;
}

int PMPI_Test_cancelled(const MPI_Status* status, int* flag) {
  *flag = status_cancelled(*status) ? 1 : 0;
  return MPI_SUCCESS;
}

int PMPI_Status_get_source(const MPI_Status* status, int* source) {
  *source = status->MPI_SOURCE;
  return MPI_SUCCESS;
}

int PMPI_Status_get_tag(const MPI_Status* status, int* tag) {
  *tag = status->MPI_TAG;
  return MPI_SUCCESS;
}

int PMPI_Status_get_error(const MPI_Status* status, int* error) {
  *error = status->MPI_ERROR;
  return MPI_SUCCESS;
}

int PMPI_Status_set_source(MPI_Status* status, int source) {
  status->MPI_SOURCE = source;
  return MPI_SUCCESS;
}

int PMPI_Status_set_tag(MPI_Status* status, int tag) {
  status->MPI_TAG = tag;
  return MPI_SUCCESS;
}

int PMPI_Status_set_error(MPI_Status* status, int error) {
  status->MPI_ERROR = error;
  return MPI_SUCCESS;
}
}

#include "mpi_shim/generated/request/status_calls.inc"
