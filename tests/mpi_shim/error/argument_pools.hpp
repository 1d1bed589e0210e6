// The handles that the argument fuzzer holds, and others that look like handles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "mpi.h"

namespace weft::mpi_shim::fuzz {

// The handles of one type that calls have returned and that were not freed since; a handle that was returned twice is
// there twice, because it must be freed twice.
template <typename Handle>
struct Pool {
  std::vector<Handle> live;
  std::vector<Handle> freed;  // the last ones; their numbers may be given out again

  void add(Handle handle) { live.push_back(handle); }
  void forget(Handle handle) {
    if (const auto place = std::ranges::find(live, handle); place != live.end()) {
      live.erase(place);
      freed.push_back(handle);
      if (freed.size() > 8) {
        freed.erase(freed.begin());
      }
    }
  }
};

// What the standard names, the null handle first. Without the handlers that end the job.
template <typename Handle>
std::span<const Handle> predefined_handles() {
  static const Handle kNone[] = {Handle{}};
  return kNone;
}
#define WEFT_PREDEFINED(type, ...)                          \
  template <>                                               \
  inline std::span<const type> predefined_handles<type>() { \
    static const type kHandles[] = {__VA_ARGS__};           \
    return kHandles;                                        \
  }
WEFT_PREDEFINED(MPI_Comm, MPI_COMM_NULL, MPI_COMM_WORLD, MPI_COMM_SELF)
WEFT_PREDEFINED(MPI_Group, MPI_GROUP_NULL, MPI_GROUP_EMPTY)
WEFT_PREDEFINED(MPI_Win, MPI_WIN_NULL)
WEFT_PREDEFINED(MPI_File, MPI_FILE_NULL)
WEFT_PREDEFINED(MPI_Session, MPI_SESSION_NULL)
WEFT_PREDEFINED(MPI_Message, MPI_MESSAGE_NULL, MPI_MESSAGE_NO_PROC)
WEFT_PREDEFINED(MPI_Info, MPI_INFO_NULL, MPI_INFO_ENV)
WEFT_PREDEFINED(MPI_Errhandler, MPI_ERRHANDLER_NULL, MPI_ERRORS_RETURN)
WEFT_PREDEFINED(MPI_Request, MPI_REQUEST_NULL)
WEFT_PREDEFINED(MPI_Op, MPI_OP_NULL, MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD, MPI_BAND, MPI_LXOR, MPI_MINLOC, MPI_REPLACE,
                MPI_NO_OP)
WEFT_PREDEFINED(MPI_Datatype, MPI_DATATYPE_NULL, MPI_INT, MPI_BYTE, MPI_CHAR, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_PACKED,
                MPI_DOUBLE_INT, MPI_SHORT_INT, MPI_C_BOOL, MPI_C_DOUBLE_COMPLEX, MPI_COUNT, MPI_LOGICAL1, MPI_INTEGER16,
                MPI_REAL16, MPI_COMPLEX4, MPI_WCHAR, MPI_2INTEGER, MPI_INT64_T)
WEFT_PREDEFINED(MPI_T_pvar_handle, MPI_T_PVAR_HANDLE_NULL, MPI_T_PVAR_ALL_HANDLES)
#undef WEFT_PREDEFINED

using Pools = std::tuple<Pool<MPI_Comm>, Pool<MPI_Datatype>, Pool<MPI_Errhandler>, Pool<MPI_File>, Pool<MPI_Group>,
                         Pool<MPI_Info>, Pool<MPI_Message>, Pool<MPI_Op>, Pool<MPI_Request>, Pool<MPI_Session>,
                         Pool<MPI_Win>, Pool<MPI_T_cvar_handle>, Pool<MPI_T_enum>, Pool<MPI_T_event_instance>,
                         Pool<MPI_T_event_registration>, Pool<MPI_T_pvar_handle>, Pool<MPI_T_pvar_session>>;

}  // namespace weft::mpi_shim::fuzz
