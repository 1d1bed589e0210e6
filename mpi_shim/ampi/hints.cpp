#include "mpi_shim/ampi/hints.hpp"

#include <string_view>

#include "mpi_shim/info/info.hpp"

namespace weft::mpi_shim {
inline namespace ampi {
namespace {

constexpr std::string_view kToFile = "to_file=";

int request_memory_checkpoint(const Entry& entry, MigrateHints& hints) {
  if (!entry.me.rank->job.config().survive) {
    return entry.raise(
        MPI_COMM_NULL, MPI_ERR_UNSUPPORTED_OPERATION,
        "a checkpoint in memory needs weftrun --survive; ampi_checkpoint=to_file=DIR writes one to files");
  }
  hints.memory_checkpoint = true;
  return MPI_SUCCESS;
}

int read_balance(const Entry& entry, std::string_view value, MigrateHints& hints) {
  if (value == "sync" || value == "async") {
    hints.balance = true;
  } else if (value != "false") {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_INFO_VALUE, "ampi_load_balance is '{}', not sync, async or false", value);
  }
  return MPI_SUCCESS;
}

int read_checkpoint(const Entry& entry, std::string_view value, MigrateHints& hints) {
  if (value.starts_with(kToFile) && value.size() > kToFile.size()) {
    hints.checkpoint_dir = value.substr(kToFile.size());
  } else if (value == "in_memory") {
    return request_memory_checkpoint(entry, hints);
  } else if (value != "false") {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_INFO_VALUE,
                       "ampi_checkpoint is '{}', not to_file=DIR, in_memory or false", value);
  }
  return MPI_SUCCESS;
}

}  // namespace

int read_hints(const Entry& entry, MPI_Info info, MigrateHints& hints) {
  if (info == AMPI_INFO_LB_SYNC || info == AMPI_INFO_LB_ASYNC) {
    hints.balance = true;
    return MPI_SUCCESS;
  }
  if (info == AMPI_INFO_CHKPT_IN_MEMORY) {
    return request_memory_checkpoint(entry, hints);
  }
  if (info == MPI_INFO_NULL) {
    return MPI_SUCCESS;
  }
  const Info* const found = find_info(entry.me, info);
  if (found == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_INFO, "hints is not an info object of this rank");
  }
  int error = MPI_SUCCESS;
  if (const std::string* const value = found->find("ampi_load_balance"); value != nullptr) {
    error = read_balance(entry, *value, hints);
  }
  if (const std::string* const value = found->find("ampi_checkpoint"); value != nullptr && error == MPI_SUCCESS) {
    error = read_checkpoint(entry, *value, hints);
  }
  return error;
}

}  // namespace ampi
}  // namespace weft::mpi_shim
