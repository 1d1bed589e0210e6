// C library functions that return memory from malloc: here it comes from the rank's heap.
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "runtime/image/libc_shim/rank_state.hpp"

WEFT_RANK_EXPORT char* strndup(const char* text, size_t most) noexcept {
  const size_t length = strnlen(text, most);
  char* copy = static_cast<char*>(malloc(length + 1));
  if (copy != nullptr) {
    memcpy(copy, text, length);
    copy[length] = '\0';
  }
  return copy;
}

WEFT_RANK_EXPORT char* strdup(const char* text) noexcept { return strndup(text, SIZE_MAX); }

WEFT_RANK_EXPORT char* __strdup(const char* text) noexcept;
WEFT_RANK_EXPORT char* __strndup(const char* text, size_t most) noexcept;
char* __strdup(const char* text) noexcept { return strdup(text); }
char* __strndup(const char* text, size_t most) noexcept { return strndup(text, most); }

WEFT_RANK_EXPORT wchar_t* wcsdup(const wchar_t* text) noexcept {
  const size_t length = wcslen(text) + 1;
  auto* copy = static_cast<wchar_t*>(reallocarray(nullptr, length, sizeof(wchar_t)));
  return copy != nullptr ? wmemcpy(copy, text, length) : nullptr;
}

WEFT_RANK_EXPORT int vasprintf(char** result, const char* format, va_list arguments) noexcept {
  va_list again;
  va_copy(again, arguments);
  const int length = vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (length < 0) {
    return -1;
  }
  const size_t size = static_cast<size_t>(length) + 1;
  *result = static_cast<char*>(malloc(size));
  return *result != nullptr ? vsnprintf(*result, size, format, arguments) : -1;
}

WEFT_RANK_EXPORT int asprintf(char** result, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(result, format, arguments);
  va_end(arguments);
  return length;
}

WEFT_RANK_EXPORT int __asprintf(char** result, const char* format, ...) noexcept {
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(result, format, arguments);
  va_end(arguments);
  return length;
}

WEFT_RANK_EXPORT int __vasprintf_chk(char** result, int flag, const char* format, va_list arguments);
WEFT_RANK_EXPORT int __asprintf_chk(char** result, int flag, const char* format, ...);

int __vasprintf_chk(char** result, int, const char* format, va_list arguments) {
  return vasprintf(result, format, arguments);
}

int __asprintf_chk(char** result, int, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = vasprintf(result, format, arguments);
  va_end(arguments);
  return length;
}

namespace weft::shim {
namespace {

// Enlarges a getline buffer to `needed` bytes if necessary.
bool make_room(char** line, size_t* size, size_t needed) {
  if (*line != nullptr && *size >= needed) {
    return true;
  }
  const size_t larger = needed < 120 ? 120 : 2 * needed;
  char* grown = static_cast<char*>(realloc(*line, larger));
  if (grown == nullptr) {
    return false;
  }
  *line = grown;
  *size = larger;
  return true;
}

ssize_t read_until(char** line, size_t* size, int delimiter, FILE* file) {
  size_t length = 0;
  for (int c = 0; c != delimiter;) {
    c = getc_unlocked(file);
    if (c == EOF) {
      break;
    }
    if (!make_room(line, size, length + 2)) {
      return -1;
    }
    (*line)[length++] = static_cast<char>(c);
  }
  if (length == 0) {
    return -1;
  }
  (*line)[length] = '\0';
  return static_cast<ssize_t>(length);
}

}  // namespace
}  // namespace weft::shim

WEFT_RANK_EXPORT ssize_t getdelim(char** line, size_t* size, int delimiter, FILE* file) {
  if (line == nullptr || size == nullptr) {
    errno = EINVAL;
    return -1;
  }
  flockfile(file);
  const ssize_t length =
      weft::shim::make_room(line, size, 1) ? weft::shim::read_until(line, size, delimiter, file) : -1;
  funlockfile(file);
  return length;
}

WEFT_RANK_EXPORT ssize_t __getdelim(char** line, size_t* size, int delimiter, FILE* file) {
  return getdelim(line, size, delimiter, file);
}

WEFT_RANK_EXPORT ssize_t getline(char** line, size_t* size, FILE* file) { return getdelim(line, size, '\n', file); }

WEFT_RANK_EXPORT char* realpath(const char* path, char* resolved) noexcept {
  if (resolved != nullptr) {
    return WEFT_OF_PROCESS(realpath)(path, resolved);
  }
  char buffer[PATH_MAX];
  return WEFT_OF_PROCESS(realpath)(path, buffer) != nullptr ? strdup(buffer) : nullptr;
}

WEFT_RANK_EXPORT char* __realpath_chk(const char* path, char* resolved, size_t size) noexcept;
char* __realpath_chk(const char* path, char* resolved, size_t) noexcept { return realpath(path, resolved); }

WEFT_RANK_EXPORT char* canonicalize_file_name(const char* path) noexcept { return realpath(path, nullptr); }

WEFT_RANK_EXPORT char* getcwd(char* buffer, size_t size) noexcept {
  if (buffer != nullptr) {
    return WEFT_OF_PROCESS(getcwd)(buffer, size);
  }
  char path[PATH_MAX];
  if (WEFT_OF_PROCESS(getcwd)(path, sizeof path) == nullptr) {
    return nullptr;
  }
  const size_t needed = strlen(path) + 1;
  if (size != 0 && size < needed) {
    errno = ERANGE;
    return nullptr;
  }
  char* copy = static_cast<char*>(malloc(size != 0 ? size : needed));
  return copy != nullptr ? strcpy(copy, path) : nullptr;
}

WEFT_RANK_EXPORT char* get_current_dir_name() noexcept { return getcwd(nullptr, 0); }
