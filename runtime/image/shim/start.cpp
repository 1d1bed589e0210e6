// The rank's beginning, its errno, and its way to say that something is wrong.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "runtime/image/shim/rank_state.hpp"
#include "runtime/image/shim/subjects.hpp"

WeftShimInfo weft_shim_info;

namespace weft::shim {

void fail(const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  weft_shim_info.fail(text);
  __builtin_trap();
}

}  // namespace weft::shim

WEFT_RANK_EXPORT void weft_shim_start();
WEFT_RANK_EXPORT int* weft_errno();

void weft_shim_start() {
  weft::shim::start_heap();
  weft::shim::start_environment();
  weft::shim::start_streams();
}

// Not const, unlike __errno_location(): a rank may wake on another thread between two uses.
int* weft_errno() { return __errno_location(); }
