// getchar(), scanf() and similar functions, which read stdin: here it is the rank's.
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "runtime/image/libc_shim/rank_state.hpp"

extern "C" {
int __isoc99_vfscanf(FILE* file, const char* format, va_list arguments);
}

namespace {

// Under this name the C library's scanf behaves as the standard says; its C++ header redirects vfscanf to it.
int scan(const char* format, va_list arguments) { return __isoc99_vfscanf(stdin, format, arguments); }

}  // namespace

#define WEFT_SCANF(name, vname)                                                        \
  WEFT_RANK_EXPORT int vname(const char* format, va_list arguments);                   \
  WEFT_RANK_EXPORT int name(const char* format, ...);                                  \
  int vname(const char* format, va_list arguments) { return scan(format, arguments); } \
  int name(const char* format, ...) {                                                  \
    va_list arguments;                                                                 \
    va_start(arguments, format);                                                       \
    const int count = scan(format, arguments);                                         \
    va_end(arguments);                                                                 \
    return count;                                                                      \
  }

WEFT_SCANF(__isoc99_scanf, __isoc99_vscanf)
WEFT_SCANF(__isoc23_scanf, __isoc23_vscanf)

WEFT_RANK_EXPORT int weft_scanf(const char* format, ...) __asm__("scanf");
WEFT_RANK_EXPORT int weft_vscanf(const char* format, va_list arguments) __asm__("vscanf");

int weft_vscanf(const char* format, va_list arguments) { return scan(format, arguments); }

int weft_scanf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int count = scan(format, arguments);
  va_end(arguments);
  return count;
}

WEFT_RANK_EXPORT int getchar() { return getc(stdin); }
WEFT_RANK_EXPORT int getchar_unlocked() { return getc_unlocked(stdin); }

// Removed from the standard, but used by old programs that are linked as objects.
WEFT_RANK_EXPORT char* weft_gets(char* text) __asm__("gets");
char* weft_gets(char* text) {
  char* out = text;
  int c = getchar();
  if (c == EOF) {
    return nullptr;
  }
  for (; c != EOF && c != '\n'; c = getchar()) {
    *out++ = static_cast<char>(c);
  }
  *out = '\0';
  return text;
}
