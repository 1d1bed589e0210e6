// perror(), err(), warn(), error(), psignal() and similar functions, which write to stderr: here it is the rank's.
#include <err.h>
#include <errno.h>
#include <error.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"

extern "C" {
[[gnu::visibility("default")]] unsigned error_message_count;
[[gnu::visibility("default")]] int error_one_per_line;
[[gnu::visibility("default")]] void (*error_print_progname)();
// Both names of each.
[[gnu::visibility("default")]] char* program_invocation_name;
[[gnu::visibility("default")]] char* program_invocation_short_name;
extern char* __progname_full __attribute__((alias("program_invocation_name"), visibility("default")));
extern char* __progname __attribute__((alias("program_invocation_short_name"), visibility("default")));
}

namespace weft::shim {
namespace {

const char* last_file;
unsigned last_line;

// Writes prefix, text and ": reason" in one call, so that the line stays whole; prefix and text are cut to 1023 bytes.
// `format` and `reason` may be null.
void write_message(const char* prefix, const char* format, va_list arguments, const char* reason) {
  char text[1024];
  size_t n = static_cast<size_t>(snprintf(text, sizeof text, "%s", prefix));
  if (format != nullptr && n < sizeof text) {
    vsnprintf(text + n, sizeof text - n, format, arguments);
    n = strlen(text);
  }
  const char* colon = reason != nullptr && format != nullptr ? ": " : "";
  fprintf(stderr, "%s%s%s\n", text, colon, reason != nullptr ? reason : "");
}

void write_warning(const char* format, va_list arguments, const char* reason) {
  char prefix[256];
  snprintf(prefix, sizeof prefix, "%s: ", program_invocation_short_name);
  write_message(prefix, format, arguments, reason);
}

// The prefix is the program's name, then the place if there is one.
void write_error(int status, int error, const char* place, const char* format, va_list arguments) {
  flush_streams();
  char prefix[512];
  if (error_print_progname != nullptr) {
    error_print_progname();
    snprintf(prefix, sizeof prefix, "%s", place);
  } else {
    snprintf(prefix, sizeof prefix, "%s:%s%s", program_invocation_name, *place != '\0' ? "" : " ", place);
  }
  write_message(prefix, format, arguments, error != 0 ? strerror(error) : nullptr);
  ++error_message_count;
  if (status != 0) {
    exit(status);
  }
}

}  // namespace

void name_program(const char* path) {
  program_invocation_name = const_cast<char*>(path);
  const char* slash = strrchr(path, '/');
  program_invocation_short_name = const_cast<char*>(slash != nullptr ? slash + 1 : path);
}

}  // namespace weft::shim

using weft::shim::write_error;
using weft::shim::write_warning;

WEFT_RANK_EXPORT void perror(const char* text) {
  const char* reason = strerror(errno);
  if (text != nullptr && *text != '\0') {
    fprintf(stderr, "%s: %s\n", text, reason);
  } else {
    fprintf(stderr, "%s\n", reason);
  }
}

WEFT_RANK_EXPORT void psignal(int signal, const char* text) {
  const char* colon = text != nullptr && *text != '\0' ? ": " : "";
  fprintf(stderr, "%s%s%s\n", text != nullptr ? text : "", colon, strsignal(signal));
}

WEFT_RANK_EXPORT void psiginfo(const siginfo_t* info, const char* text) { psignal(info->si_signo, text); }

WEFT_RANK_EXPORT void vwarn(const char* format, va_list arguments) {
  write_warning(format, arguments, strerror(errno));
}

WEFT_RANK_EXPORT void vwarnx(const char* format, va_list arguments) { write_warning(format, arguments, nullptr); }

WEFT_RANK_EXPORT void verr(int status, const char* format, va_list arguments) {
  vwarn(format, arguments);
  exit(status);
}

WEFT_RANK_EXPORT void verrx(int status, const char* format, va_list arguments) {
  vwarnx(format, arguments);
  exit(status);
}

WEFT_RANK_EXPORT void warn(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vwarn(format, arguments);
  va_end(arguments);
}

WEFT_RANK_EXPORT void warnx(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vwarnx(format, arguments);
  va_end(arguments);
}

WEFT_RANK_EXPORT void err(int status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  verr(status, format, arguments);
}

WEFT_RANK_EXPORT void errx(int status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  verrx(status, format, arguments);
}

WEFT_RANK_EXPORT void error(int status, int error, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  write_error(status, error, "", format, arguments);
  va_end(arguments);
}

WEFT_RANK_EXPORT void error_at_line(int status, int error, const char* file, unsigned line, const char* format, ...) {
  if (error_one_per_line != 0 && line == weft::shim::last_line && weft::shim::last_file != nullptr &&
      (file == weft::shim::last_file || strcmp(file, weft::shim::last_file) == 0)) {
    return;
  }
  weft::shim::last_file = file;
  weft::shim::last_line = line;
  char place[256];
  snprintf(place, sizeof place, "%s:%u: ", file, line);
  va_list arguments;
  va_start(arguments, format);
  write_error(status, error, place, format, arguments);
  va_end(arguments);
}
