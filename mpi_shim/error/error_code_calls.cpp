// Queries of error classes, codes and strings, and their addition and removal by the program.
#include <algorithm>
#include <cstring>

#include "mpi_shim/entry/entry.hpp"
#include "mpi_shim/error/error_codes.hpp"

namespace {

using weft::mpi_shim::Entry;
using weft::mpi_shim::ErrorCodes;

bool is_class(ErrorCodes& codes, int number) {
  const ErrorCodes::Added* const added = codes.find(number);
  return added != nullptr ? added->error_class == number : weft::mpi_shim::error_name(number) != nullptr;
}

int error_class(const Entry& entry, int errorcode, int* errorclass) {
  if (const ErrorCodes::Added* const added = entry.me.part<ErrorCodes>().find(errorcode); added != nullptr) {
    *errorclass = added->error_class;
  } else if (weft::mpi_shim::error_name(errorcode) != nullptr) {
    *errorclass = errorcode;
  } else {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "errorcode {} is not an error code", errorcode);
  }
  return MPI_SUCCESS;
}

int error_string(const Entry& entry, int errorcode, char* string, int* resultlen) {
  std::string text;
  if (const ErrorCodes::Added* const added = entry.me.part<ErrorCodes>().find(errorcode); added != nullptr) {
    text = added->text;
  } else if (const char* const known = weft::mpi_shim::error_text(errorcode); known != nullptr) {
    text = std::string(weft::mpi_shim::error_name(errorcode)) + ": " + known;
  } else {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "errorcode {} is not an error code", errorcode);
  }
  std::memcpy(string, text.c_str(), text.size() + 1);
  *resultlen = static_cast<int>(text.size());
  return MPI_SUCCESS;
}

int add_error_class(const Entry& entry, int* errorclass) {
  *errorclass = entry.me.part<ErrorCodes>().add(0);
  return MPI_SUCCESS;
}

int add_error_code(const Entry& entry, int errorclass, int* errorcode) {
  if (!is_class(entry.me.part<ErrorCodes>(), errorclass)) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "errorclass {} is not an error class", errorclass);
  }
  *errorcode = entry.me.part<ErrorCodes>().add(errorclass);
  return MPI_SUCCESS;
}

int add_error_string(const Entry& entry, int errorcode, const char* string) {
  ErrorCodes::Added* const added = entry.me.part<ErrorCodes>().find(errorcode);
  if (added == nullptr) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_ARG, "errorcode {} was not added by this rank", errorcode);
  }
  if (string == nullptr) {
    return entry.null_argument(MPI_COMM_NULL, "string");
  }
  added->text.assign(string, std::min(std::strlen(string), std::size_t{MPI_MAX_ERROR_STRING - 1}));
  return MPI_SUCCESS;
}

int remove_error_class(const Entry& entry, int errorclass) {
  ErrorCodes& codes = entry.me.part<ErrorCodes>();
  ErrorCodes::Added* const added = codes.find(errorclass);
  if (added == nullptr || added->error_class != errorclass || added->codes > 0 || !added->text.empty()) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_OTHER,
                       "errorclass {} was not added by this rank, or still has codes or a string", errorclass);
  }
  added->removed = true;
  return MPI_SUCCESS;
}

int remove_error_code(const Entry& entry, int errorcode) {
  ErrorCodes::Added* const added = entry.me.part<ErrorCodes>().find(errorcode);
  if (added == nullptr || added->error_class == errorcode || !added->text.empty()) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_OTHER, "errorcode {} was not added by this rank, or still has a string",
                       errorcode);
  }
  added->removed = true;
  if (ErrorCodes::Added* const its_class = entry.me.part<ErrorCodes>().find(added->error_class); its_class != nullptr) {
    --its_class->codes;
  }
  return MPI_SUCCESS;
}

int remove_error_string(const Entry& entry, int errorcode) {
  ErrorCodes::Added* const added = entry.me.part<ErrorCodes>().find(errorcode);
  if (added == nullptr || added->text.empty()) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_OTHER, "errorcode {} has no string of this rank", errorcode);
  }
  added->text.clear();
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/error/error_code_calls.inc"
