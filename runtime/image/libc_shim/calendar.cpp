// Calendar functions that return a static buffer: here the rank's own.
#include <time.h>

#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {
namespace {

tm broken_down;
char text[64];

}  // namespace
}  // namespace weft::shim

WEFT_RANK_EXPORT tm* gmtime(const time_t* time) noexcept { return gmtime_r(time, &weft::shim::broken_down); }

// The time zone is the process's: TZ as it was when the job started.
WEFT_RANK_EXPORT tm* localtime(const time_t* time) noexcept {
  tzset();
  return localtime_r(time, &weft::shim::broken_down);
}

WEFT_RANK_EXPORT char* asctime(const tm* time) noexcept { return asctime_r(time, weft::shim::text); }

WEFT_RANK_EXPORT char* ctime(const time_t* time) noexcept {
  const tm* local = localtime(time);
  return local != nullptr ? asctime(local) : nullptr;
}
