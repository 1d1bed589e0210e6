// Multibyte conversions with a hidden shift state: here the rank's own.
#include <stdlib.h>
#include <uchar.h>
#include <wchar.h>

#include "runtime/image/libc_shim/rank_state.hpp"

namespace weft::shim {
namespace {

struct State {  // one per function, as C asks for
  mbstate_t mblen, mbtowc, wctomb, mbrlen, mbrtowc, wcrtomb, mbsrtowcs, wcsrtombs, mbsnrtowcs, wcsnrtombs;
  mbstate_t mbrtoc16, c16rtomb, mbrtoc32, c32rtomb;
};

State state;

mbstate_t* or_own(mbstate_t* given, mbstate_t& own) { return given != nullptr ? given : &own; }

// The result of mblen and mbtowc from that of mbrtowc: -1 for both of its errors.
int length_or_error(size_t length) { return length >= static_cast<size_t>(-2) ? -1 : static_cast<int>(length); }

}  // namespace
}  // namespace weft::shim

using weft::shim::or_own;
using weft::shim::state;

WEFT_RANK_EXPORT int mbtowc(wchar_t* wide, const char* text, size_t n) noexcept {
  if (text == nullptr) {
    state.mbtowc = {};
    return 0;
  }
  return weft::shim::length_or_error(WEFT_OF_PROCESS(mbrtowc)(wide, text, n, &state.mbtowc));
}

WEFT_RANK_EXPORT int mblen(const char* text, size_t n) noexcept {
  if (text == nullptr) {
    state.mblen = {};
    return 0;
  }
  return weft::shim::length_or_error(WEFT_OF_PROCESS(mbrtowc)(nullptr, text, n, &state.mblen));
}

WEFT_RANK_EXPORT int wctomb(char* text, wchar_t wide) noexcept {
  if (text == nullptr) {
    state.wctomb = {};
    return 0;
  }
  return static_cast<int>(WEFT_OF_PROCESS(wcrtomb)(text, wide, &state.wctomb));
}

WEFT_RANK_EXPORT size_t mbrlen(const char* text, size_t n, mbstate_t* given) noexcept {
  return WEFT_OF_PROCESS(mbrtowc)(nullptr, text, n, or_own(given, state.mbrlen));
}

WEFT_RANK_EXPORT size_t __mbrlen(const char* text, size_t n, mbstate_t* given) noexcept {
  return mbrlen(text, n, given);
}

WEFT_RANK_EXPORT size_t mbrtowc(wchar_t* wide, const char* text, size_t n, mbstate_t* given) noexcept {
  return WEFT_OF_PROCESS(mbrtowc)(wide, text, n, or_own(given, state.mbrtowc));
}

WEFT_RANK_EXPORT size_t wcrtomb(char* text, wchar_t wide, mbstate_t* given) noexcept {
  return WEFT_OF_PROCESS(wcrtomb)(text, wide, or_own(given, state.wcrtomb));
}

WEFT_RANK_EXPORT size_t mbsrtowcs(wchar_t* wide, const char** text, size_t n, mbstate_t* given) noexcept {
  return WEFT_OF_PROCESS(mbsrtowcs)(wide, text, n, or_own(given, state.mbsrtowcs));
}

WEFT_RANK_EXPORT size_t wcsrtombs(char* text, const wchar_t** wide, size_t n, mbstate_t* given) noexcept {
  return WEFT_OF_PROCESS(wcsrtombs)(text, wide, n, or_own(given, state.wcsrtombs));
}

WEFT_RANK_EXPORT size_t mbsnrtowcs(wchar_t* wide, const char** text, size_t bytes, size_t n,
                                   mbstate_t* given) noexcept {
  return WEFT_OF_PROCESS(mbsnrtowcs)(wide, text, bytes, n, or_own(given, state.mbsnrtowcs));
}

WEFT_RANK_EXPORT size_t wcsnrtombs(char* text, const wchar_t** wide, size_t count, size_t n,
                                   mbstate_t* given) noexcept {
  return WEFT_OF_PROCESS(wcsnrtombs)(text, wide, count, n, or_own(given, state.wcsnrtombs));
}

WEFT_RANK_EXPORT size_t mbrtoc16(char16_t* wide, const char* text, size_t n, mbstate_t* given) noexcept {
  return WEFT_OF_PROCESS(mbrtoc16)(wide, text, n, or_own(given, state.mbrtoc16));
}

WEFT_RANK_EXPORT size_t c16rtomb(char* text, char16_t wide, mbstate_t* given) noexcept {
  return WEFT_OF_PROCESS(c16rtomb)(text, wide, or_own(given, state.c16rtomb));
}

WEFT_RANK_EXPORT size_t mbrtoc32(char32_t* wide, const char* text, size_t n, mbstate_t* given) noexcept {
  return WEFT_OF_PROCESS(mbrtoc32)(wide, text, n, or_own(given, state.mbrtoc32));
}

WEFT_RANK_EXPORT size_t c32rtomb(char* text, char32_t wide, mbstate_t* given) noexcept {
  return WEFT_OF_PROCESS(c32rtomb)(text, wide, or_own(given, state.c32rtomb));
}
