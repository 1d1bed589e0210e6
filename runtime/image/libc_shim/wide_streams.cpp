// Wide characters on streams in the rank's own memory, which are byte streams underneath: converted in the current
// locale.
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

#include "runtime/image/libc_shim/file_streams.hpp"
#include "runtime/image/libc_shim/rank_state.hpp"
#include "runtime/image/libc_shim/streams.hpp"

namespace weft::shim {
namespace {

mbstate_t output_state[4];  // the last one is for all files
mbstate_t input_state;

bool is_own(const FILE* file) { return is_ranks_own(file); }

mbstate_t& output_state_of(const FILE* file) {
  const int standard = standard_descriptor(file);
  return output_state[standard >= 0 ? standard : 3];
}

wint_t put(wchar_t wide, FILE* file) {
  char bytes[MB_LEN_MAX];
  const size_t n = wcrtomb(bytes, wide, &output_state_of(file));
  return n != static_cast<size_t>(-1) && fwrite(bytes, 1, n, file) == n ? static_cast<wint_t>(wide) : WEOF;
}

int put_text(const wchar_t* text, FILE* file) {
  flockfile(file);
  int result = 1;
  for (; *text != L'\0' && result > 0; ++text) {
    result = put(*text, file) == WEOF ? -1 : 1;
  }
  funlockfile(file);
  return result;
}

// vswprintf does not report how much room it needs: tries with more and more.
int print(FILE* file, const wchar_t* format, va_list arguments) {
  for (size_t room = 256; room <= (size_t{64} << 20); room *= 4) {
    auto* text = static_cast<wchar_t*>(reallocarray(nullptr, room, sizeof(wchar_t)));
    if (text == nullptr) {
      return -1;
    }
    va_list again;
    va_copy(again, arguments);
    const int length = vswprintf(text, room, format, again);
    va_end(again);
    const bool fits = length >= 0;
    const int result = fits && put_text(text, file) >= 0 ? length : -1;
    free(text);
    if (fits) {
      return result;
    }
  }
  errno = EOVERFLOW;
  return -1;
}

wint_t get(FILE* file) {
  for (;;) {
    const int c = getc(file);
    if (c == EOF) {
      return WEOF;
    }
    const char byte = static_cast<char>(c);
    wchar_t wide = L'\0';
    const size_t n = mbrtowc(&wide, &byte, 1, &input_state);
    if (n == static_cast<size_t>(-1)) {
      return WEOF;
    }
    if (n != static_cast<size_t>(-2)) {
      return static_cast<wint_t>(wide);
    }
  }
}

}  // namespace
}  // namespace weft::shim

using weft::shim::is_own;

WEFT_RANK_EXPORT wint_t fputwc(wchar_t wide, FILE* file) {
  return is_own(file) ? weft::shim::put(wide, file) : WEFT_OF_PROCESS(fputwc)(wide, file);
}
WEFT_RANK_EXPORT wint_t putwc(wchar_t wide, FILE* file) { return fputwc(wide, file); }
WEFT_RANK_EXPORT wint_t fputwc_unlocked(wchar_t wide, FILE* file) { return fputwc(wide, file); }
WEFT_RANK_EXPORT wint_t putwc_unlocked(wchar_t wide, FILE* file) { return fputwc(wide, file); }
WEFT_RANK_EXPORT wint_t putwchar(wchar_t wide) { return fputwc(wide, stdout); }
WEFT_RANK_EXPORT wint_t putwchar_unlocked(wchar_t wide) { return fputwc(wide, stdout); }

WEFT_RANK_EXPORT int fputws(const wchar_t* text, FILE* file) {
  return is_own(file) ? weft::shim::put_text(text, file) : WEFT_OF_PROCESS(fputws)(text, file);
}
WEFT_RANK_EXPORT int fputws_unlocked(const wchar_t* text, FILE* file) { return fputws(text, file); }

WEFT_RANK_EXPORT int vfwprintf(FILE* file, const wchar_t* format, va_list arguments) {
  return is_own(file) ? weft::shim::print(file, format, arguments)
                      : WEFT_OF_PROCESS(vfwprintf)(file, format, arguments);
}
WEFT_RANK_EXPORT int vwprintf(const wchar_t* format, va_list arguments) { return vfwprintf(stdout, format, arguments); }

#define WEFT_FORWARD_WIDE(file)                            \
  va_list arguments;                                       \
  va_start(arguments, format);                             \
  const int length = vfwprintf((file), format, arguments); \
  va_end(arguments);                                       \
  return length

WEFT_RANK_EXPORT int fwprintf(FILE* file, const wchar_t* format, ...) { WEFT_FORWARD_WIDE(file); }
WEFT_RANK_EXPORT int wprintf(const wchar_t* format, ...) { WEFT_FORWARD_WIDE(stdout); }

WEFT_RANK_EXPORT int __vfwprintf_chk(FILE* file, int flag, const wchar_t* format, va_list arguments);
WEFT_RANK_EXPORT int __vwprintf_chk(int flag, const wchar_t* format, va_list arguments);
WEFT_RANK_EXPORT int __fwprintf_chk(FILE* file, int flag, const wchar_t* format, ...);
WEFT_RANK_EXPORT int __wprintf_chk(int flag, const wchar_t* format, ...);
int __vfwprintf_chk(FILE* file, int, const wchar_t* format, va_list arguments) {
  return vfwprintf(file, format, arguments);
}
int __vwprintf_chk(int, const wchar_t* format, va_list arguments) { return vfwprintf(stdout, format, arguments); }
int __fwprintf_chk(FILE* file, int, const wchar_t* format, ...) { WEFT_FORWARD_WIDE(file); }
int __wprintf_chk(int, const wchar_t* format, ...) { WEFT_FORWARD_WIDE(stdout); }

WEFT_RANK_EXPORT wint_t fgetwc(FILE* file) {
  return is_own(file) ? weft::shim::get(file) : WEFT_OF_PROCESS(fgetwc)(file);
}
WEFT_RANK_EXPORT wint_t getwc(FILE* file) { return fgetwc(file); }
WEFT_RANK_EXPORT wint_t getwchar() { return fgetwc(stdin); }
WEFT_RANK_EXPORT wint_t fgetwc_unlocked(FILE* file) { return fgetwc(file); }
WEFT_RANK_EXPORT wint_t getwc_unlocked(FILE* file) { return fgetwc(file); }
WEFT_RANK_EXPORT wint_t getwchar_unlocked() { return fgetwc(stdin); }

WEFT_RANK_EXPORT wint_t ungetwc(wint_t wide, FILE* file) {
  if (!is_own(file)) {
    return WEFT_OF_PROCESS(ungetwc)(wide, file);
  }
  char bytes[MB_LEN_MAX];
  mbstate_t state = {};
  size_t n = wide != WEOF ? wcrtomb(bytes, static_cast<wchar_t>(wide), &state) : static_cast<size_t>(-1);
  if (n == static_cast<size_t>(-1)) {
    return WEOF;
  }
  while (n-- > 0) {
    if (ungetc(static_cast<unsigned char>(bytes[n]), file) == EOF) {
      return WEOF;
    }
  }
  return wide;
}

WEFT_RANK_EXPORT wchar_t* fgetws(wchar_t* text, int room, FILE* file) {
  if (!is_own(file)) {
    return WEFT_OF_PROCESS(fgetws)(text, room, file);
  }
  int n = 0;
  for (wint_t wide = 0; n < room - 1 && wide != L'\n'; ++n) {
    wide = fgetwc(file);
    if (wide == WEOF) {
      break;
    }
    text[n] = static_cast<wchar_t>(wide);
  }
  if (n == 0) {
    return nullptr;
  }
  text[n] = L'\0';
  return text;
}

// These streams never take an orientation.
WEFT_RANK_EXPORT int fwide(FILE* file, int mode) noexcept {
  return is_own(file) ? 0 : WEFT_OF_PROCESS(fwide)(file, mode);
}
