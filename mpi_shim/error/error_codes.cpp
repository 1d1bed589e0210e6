#include "mpi_shim/error/error_codes.hpp"

#include <algorithm>
#include <iterator>

#include "mpi-ext.h"

namespace weft::mpi_shim {
inline namespace error {

namespace {

struct Described {
  int error_class;
  const char* name;
  const char* text;
};

#define WEFT_ERROR(name, text) \
  { name, #name, text }
constexpr Described kDescribed[] = {
    WEFT_ERROR(MPI_SUCCESS, "no error"),
    WEFT_ERROR(MPI_ERR_BUFFER, "invalid buffer pointer"),
    WEFT_ERROR(MPI_ERR_COUNT, "invalid count argument"),
    WEFT_ERROR(MPI_ERR_TYPE, "invalid datatype argument"),
    WEFT_ERROR(MPI_ERR_TAG, "invalid tag argument"),
    WEFT_ERROR(MPI_ERR_COMM, "invalid communicator"),
    WEFT_ERROR(MPI_ERR_RANK, "invalid rank"),
    WEFT_ERROR(MPI_ERR_REQUEST, "invalid request"),
    WEFT_ERROR(MPI_ERR_ROOT, "invalid root"),
    WEFT_ERROR(MPI_ERR_GROUP, "invalid group"),
    WEFT_ERROR(MPI_ERR_OP, "invalid operation"),
    WEFT_ERROR(MPI_ERR_TOPOLOGY, "invalid topology"),
    WEFT_ERROR(MPI_ERR_DIMS, "invalid dimensions"),
    WEFT_ERROR(MPI_ERR_ARG, "invalid argument"),
    WEFT_ERROR(MPI_ERR_UNKNOWN, "unknown error"),
    WEFT_ERROR(MPI_ERR_TRUNCATE, "message truncated on receive"),
    WEFT_ERROR(MPI_ERR_OTHER, "other known error"),
    WEFT_ERROR(MPI_ERR_INTERN, "internal error of the MPI library"),
    WEFT_ERROR(MPI_ERR_PENDING, "pending request"),
    WEFT_ERROR(MPI_ERR_IN_STATUS, "error code is in the status"),
    WEFT_ERROR(MPI_ERR_ACCESS, "permission denied"),
    WEFT_ERROR(MPI_ERR_AMODE, "invalid access mode of a file"),
    WEFT_ERROR(MPI_ERR_ASSERT, "invalid assert argument"),
    WEFT_ERROR(MPI_ERR_BAD_FILE, "invalid file name"),
    WEFT_ERROR(MPI_ERR_BASE, "invalid base argument"),
    WEFT_ERROR(MPI_ERR_CONVERSION, "error in a user's data conversion function"),
    WEFT_ERROR(MPI_ERR_DISP, "invalid displacement"),
    WEFT_ERROR(MPI_ERR_DUP_DATAREP, "the data representation is already defined"),
    WEFT_ERROR(MPI_ERR_FILE_EXISTS, "file exists"),
    WEFT_ERROR(MPI_ERR_FILE_IN_USE, "file is in use"),
    WEFT_ERROR(MPI_ERR_FILE, "invalid file handle"),
    WEFT_ERROR(MPI_ERR_INFO_KEY, "key is longer than MPI_MAX_INFO_KEY or empty"),
    WEFT_ERROR(MPI_ERR_INFO_NOKEY, "no such key in the info object"),
    WEFT_ERROR(MPI_ERR_INFO_VALUE, "value is longer than MPI_MAX_INFO_VAL or empty"),
    WEFT_ERROR(MPI_ERR_INFO, "invalid info object"),
    WEFT_ERROR(MPI_ERR_IO, "input or output error"),
    WEFT_ERROR(MPI_ERR_KEYVAL, "invalid key value"),
    WEFT_ERROR(MPI_ERR_LOCKTYPE, "invalid lock type"),
    WEFT_ERROR(MPI_ERR_NAME, "the service name is not published"),
    WEFT_ERROR(MPI_ERR_NO_MEM, "out of memory"),
    WEFT_ERROR(MPI_ERR_NOT_SAME, "collective argument is not the same on all ranks"),
    WEFT_ERROR(MPI_ERR_NO_SPACE, "no space left"),
    WEFT_ERROR(MPI_ERR_NO_SUCH_FILE, "no such file"),
    WEFT_ERROR(MPI_ERR_PORT, "invalid port name"),
    WEFT_ERROR(MPI_ERR_QUOTA, "quota exceeded"),
    WEFT_ERROR(MPI_ERR_READ_ONLY, "read-only file or file system"),
    WEFT_ERROR(MPI_ERR_RMA_ATTACH, "memory cannot be attached"),
    WEFT_ERROR(MPI_ERR_RMA_CONFLICT, "conflicting accesses to a window"),
    WEFT_ERROR(MPI_ERR_RMA_RANGE, "target memory is not part of the window"),
    WEFT_ERROR(MPI_ERR_RMA_SHARED, "memory cannot be shared"),
    WEFT_ERROR(MPI_ERR_RMA_SYNC, "wrong synchronization of a window"),
    WEFT_ERROR(MPI_ERR_SERVICE, "the service name cannot be withdrawn"),
    WEFT_ERROR(MPI_ERR_SIZE, "invalid size argument"),
    WEFT_ERROR(MPI_ERR_SPAWN, "processes cannot be spawned"),
    WEFT_ERROR(MPI_ERR_UNSUPPORTED_DATAREP, "unsupported data representation"),
    WEFT_ERROR(MPI_ERR_UNSUPPORTED_OPERATION, "unsupported operation"),
    WEFT_ERROR(MPI_ERR_WIN, "invalid window"),
    WEFT_ERROR(MPI_ERR_RMA_FLAVOR, "wrong flavour of window"),
    WEFT_ERROR(MPI_ERR_PROC_ABORTED, "a peer process has aborted"),
    WEFT_ERROR(MPI_ERR_VALUE_TOO_LARGE, "the value is too large for the argument's type"),
    WEFT_ERROR(MPI_ERR_SESSION, "invalid session"),
    WEFT_ERROR(MPI_ERR_ERRHANDLER, "invalid error handler"),
    WEFT_ERROR(MPI_ERR_ABI, "error of the binary interface"),
    WEFT_ERROR(MPIX_ERR_PROC_FAILED, "a process that the call needs has died"),
    WEFT_ERROR(MPIX_ERR_PROC_FAILED_PENDING, "a process that the message may come from has died"),
    WEFT_ERROR(MPIX_ERR_REVOKED, "the communicator has been revoked"),
    WEFT_ERROR(MPI_T_ERR_CANNOT_INIT, "the tool interface cannot be initialized"),
    WEFT_ERROR(MPI_T_ERR_NOT_ACCESSIBLE, "the tool object is not accessible"),
    WEFT_ERROR(MPI_T_ERR_NOT_INITIALIZED, "the tool interface is not initialized"),
    WEFT_ERROR(MPI_T_ERR_NOT_SUPPORTED, "not supported by the tool interface"),
    WEFT_ERROR(MPI_T_ERR_MEMORY, "out of memory in the tool interface"),
    WEFT_ERROR(MPI_T_ERR_INVALID, "invalid use of the tool interface"),
    WEFT_ERROR(MPI_T_ERR_INVALID_INDEX, "invalid index of a tool object"),
    WEFT_ERROR(MPI_T_ERR_INVALID_ITEM, "invalid item of a tool enumeration"),
    WEFT_ERROR(MPI_T_ERR_INVALID_SESSION, "invalid tool session"),
    WEFT_ERROR(MPI_T_ERR_INVALID_HANDLE, "invalid tool handle"),
    WEFT_ERROR(MPI_T_ERR_INVALID_NAME, "invalid name of a tool object"),
    WEFT_ERROR(MPI_T_ERR_OUT_OF_HANDLES, "out of tool handles"),
    WEFT_ERROR(MPI_T_ERR_OUT_OF_SESSIONS, "out of tool sessions"),
    WEFT_ERROR(MPI_T_ERR_CVAR_SET_NOT_NOW, "the control variable cannot be set now"),
    WEFT_ERROR(MPI_T_ERR_CVAR_SET_NEVER, "the control variable can never be set"),
    WEFT_ERROR(MPI_T_ERR_PVAR_NO_WRITE, "the performance variable cannot be written"),
    WEFT_ERROR(MPI_T_ERR_PVAR_NO_STARTSTOP, "the performance variable cannot be started or stopped"),
    WEFT_ERROR(MPI_T_ERR_PVAR_NO_ATOMIC, "the performance variable cannot be read and reset at once"),
    WEFT_ERROR(MPI_ERR_LASTCODE, "last error code of the standard"),
};
#undef WEFT_ERROR

const Described* described(int error_class) {
  const auto* const found = std::lower_bound(std::begin(kDescribed), std::end(kDescribed), error_class,
                                             [](const Described& d, int wanted) { return d.error_class < wanted; });
  return found != std::end(kDescribed) && found->error_class == error_class ? found : nullptr;
}

}  // namespace

const char* error_name(int error_class) {
  const Described* const found = described(error_class);
  return found == nullptr ? nullptr : found->name;
}

const char* error_text(int error_class) {
  const Described* const found = described(error_class);
  return found == nullptr ? nullptr : found->text;
}

ErrorCodes::Added* ErrorCodes::find(int code) {
  if (code <= MPI_ERR_LASTCODE || code > MPI_ERR_LASTCODE + static_cast<int>(added.size())) {
    return nullptr;
  }
  Added& found = added[static_cast<std::size_t>(code - MPI_ERR_LASTCODE - 1)];
  return found.removed ? nullptr : &found;
}

int ErrorCodes::add(int error_class) {
  const int number = MPI_ERR_LASTCODE + 1 + static_cast<int>(added.size());
  if (Added* const its_class = find(error_class); its_class != nullptr) {
    ++its_class->codes;
  }
  added.push_back({error_class == 0 ? number : error_class, {}});
  last_used = number;
  return number;
}

}  // namespace error
}  // namespace weft::mpi_shim
