// printf(), puts(), putchar() and similar functions, which write to stdout: here it is the rank's. Also fflush().
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/image/libc_shim/rank_lifecycle.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"
#include "runtime/image/libc_shim/streams.hpp"

extern "C" int __vfprintf_chk(FILE* file, int flag, const char* format, va_list arguments);

WEFT_RANK_EXPORT int vprintf(const char* format, va_list arguments) { return vfprintf(stdout, format, arguments); }

WEFT_RANK_EXPORT int printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vfprintf(stdout, format, arguments);
  va_end(arguments);
  return length;
}

WEFT_RANK_EXPORT int __vprintf_chk(int flag, const char* format, va_list arguments);
WEFT_RANK_EXPORT int __printf_chk(int flag, const char* format, ...);

int __vprintf_chk(int flag, const char* format, va_list arguments) {
  return __vfprintf_chk(stdout, flag, format, arguments);
}

int __printf_chk(int flag, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = __vfprintf_chk(stdout, flag, format, arguments);
  va_end(arguments);
  return length;
}

WEFT_RANK_EXPORT int puts(const char* text) {
  flockfile(stdout);
  const int result = fputs(text, stdout) == EOF ? EOF : putc_unlocked('\n', stdout);
  funlockfile(stdout);
  return result == EOF ? EOF : 1;
}

WEFT_RANK_EXPORT int putchar(int c) { return putc(c, stdout); }
WEFT_RANK_EXPORT int putchar_unlocked(int c) { return putc_unlocked(c, stdout); }

// Null means all streams of the rank.
WEFT_RANK_EXPORT int fflush(FILE* file) {
  if (file != nullptr) {
    return WEFT_OF_PROCESS(fflush)(file);
  }
  weft::shim::flush_streams();
  return weft::shim::flush_files();
}

WEFT_RANK_EXPORT int fflush_unlocked(FILE* file) { return fflush(file); }

WEFT_RANK_EXPORT int fileno(FILE* file) noexcept {
  const int descriptor = weft::shim::standard_descriptor(file);
  return descriptor >= 0 ? descriptor : WEFT_OF_PROCESS(fileno)(file);
}

WEFT_RANK_EXPORT int fileno_unlocked(FILE* file) noexcept { return fileno(file); }
