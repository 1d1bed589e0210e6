/* What tests of mmap() look at. */
#pragma once

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "shim_check.h"

extern const char* weft_shim_pinned(int several_hosts);

enum { kPlain = MAP_PRIVATE | MAP_ANONYMOUS, kAccess = PROT_READ | PROT_WRITE };
static const size_t kPage = 4096;

static char* map(size_t n) {
  char* const place = mmap(NULL, n, kAccess, kPlain | MAP_NORESERVE, -1, 0);
  CHECK(place != MAP_FAILED && (uintptr_t)place % kPage == 0);
  return place;
}

static int is_zero(const char* begin, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (begin[i] != 0) {
      return 0;
    }
  }
  return 1;
}

static int is_all(const char* begin, size_t n, char value) {
  for (size_t i = 0; i < n; ++i) {
    if (begin[i] != value) {
      return 0;
    }
  }
  return 1;
}

static int is_free(void) { return weft_shim_pinned(0) == NULL; }
static int is_kept_by(const char* words) {
  const char* const reason = weft_shim_pinned(0);
  return reason != NULL && strstr(reason, words) != NULL;
}
