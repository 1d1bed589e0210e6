/* Plain memory of mmap() is the rank's own: it keeps no rank in its process. Other mappings do. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mapping_check.h"

static const size_t kLarge = 5000000;

static void check_memory(void) {
  for (int round = 0; round < 3; ++round) { /* the memory is used again, and is zero again */
    char* const small = map(100);
    char* const large = map(kLarge);
    CHECK(is_zero(small, kPage) && is_zero(large, kLarge));
    memset(small, 1, kPage);
    memset(large, 2, kLarge);
    CHECK(is_all(small, kPage, 1));
    CHECK(is_free());
    CHECK(munmap(small, 100) == 0 && munmap(large, kLarge) == 0);
  }
}

/* As allocators do who want an alignment: more than needed, then both ends away, then pieces of the rest. */
static void check_parts(void) {
  char* const all = map(64 * kPage);
  char* const kept = all + 8 * kPage;
  memset(all, 3, 64 * kPage);
  CHECK(munmap(all, 8 * kPage) == 0 && munmap(all + 40 * kPage, 24 * kPage) == 0);
  CHECK(munmap(kept + 4 * kPage, 2 * kPage) == 0);
  CHECK(munmap(kept + 3 * kPage, 4 * kPage) == 0); /* some of it is away */
  char* others[20];
  for (int i = 0; i < 20; ++i) { /* would be given what is in use, if it were taken for free */
    others[i] = map((size_t)(i + 1) * kPage);
    memset(others[i], 4, (size_t)(i + 1) * kPage);
  }
  CHECK(is_all(kept, 3 * kPage, 3) && is_all(kept + 7 * kPage, 25 * kPage, 3));
  CHECK(munmap(all, 64 * kPage) == 0);
  for (int i = 0; i < 20; ++i) {
    CHECK(is_all(others[i], (size_t)(i + 1) * kPage, 4));
    munmap(others[i], (size_t)(i + 1) * kPage);
  }
}

static void check_sizes(void) {
  char* place = map(2 * kPage);
  memset(place, 5, 2 * kPage);
  char* const larger = mremap(place, 2 * kPage, 300 * kPage, MREMAP_MAYMOVE);
  CHECK(larger != MAP_FAILED && is_all(larger, 2 * kPage, 5) && is_zero(larger + 2 * kPage, 298 * kPage));
  CHECK(mremap(larger, 300 * kPage, kPage, 0) == larger && is_all(larger, kPage, 5));
  CHECK(mremap(larger, kPage, 200 * kPage, 0) == MAP_FAILED && errno == ENOMEM);
  CHECK(mremap(larger, 2 * kPage, kPage, 0) == MAP_FAILED && errno == EINVAL); /* more than there is */
  CHECK(mremap(larger + 1, kPage, kPage, MREMAP_MAYMOVE) == MAP_FAILED && errno == EINVAL);
  CHECK(munmap(larger, kPage) == 0);
  place = map(8 * kPage);
  CHECK(mprotect(place + 4 * kPage, 4 * kPage, PROT_NONE) == 0 && is_kept_by("mprotect"));
  CHECK(mremap(place, 8 * kPage, 4 * kPage, 0) == place && is_free());
  CHECK(munmap(place, 4 * kPage) == 0);
}

static void check_rights(void) {
  char* const place = map(8 * kPage);
  CHECK(mprotect(place + kPage, kPage, PROT_NONE) == 0);
  CHECK(is_kept_by("mprotect"));
  CHECK(mprotect(place, 8 * kPage, kAccess) == 0);
  CHECK(is_free());
  CHECK(mprotect(place, 6 * kPage, PROT_READ) == 0 && mprotect(place + kPage, kPage, kAccess) == 0);
  CHECK(is_kept_by("mprotect"));
  CHECK(munmap(place, 3 * kPage) == 0);
  CHECK(is_kept_by("mprotect"));
  CHECK(munmap(place, 8 * kPage) == 0);
  CHECK(is_free());
  char* const again = map(8 * kPage);
  memset(again, 6, 8 * kPage); /* may be written */
  munmap(again, 8 * kPage);
}

/* Over memory of the rank: a file must not be there any more where the memory is used again. */
static void check_files_over_memory(void) {
  char path[] = "/tmp/shim_mappings-XXXXXX";
  const int file = mkstemp(path);
  CHECK(file >= 0 && ftruncate(file, 16384) == 0);
  char* const place = map(64 * kPage);
  char* const over = place + 8 * kPage;
  CHECK(mmap(over, 4 * kPage, kAccess, MAP_SHARED | MAP_FIXED, file, 0) == over);
  memset(over, 'A', 4 * kPage);
  CHECK(is_kept_by("mapped over"));
  CHECK(munmap(over, kPage) == 0 && is_kept_by("mapped over"));
  CHECK(munmap(place, 64 * kPage) == 0 && is_free());
  char* const next = map(64 * kPage);
  CHECK(is_zero(next, 64 * kPage));
  memset(next, 'Z', 64 * kPage);
  char bytes[16384]; /* four pages */
  CHECK(pread(file, bytes, sizeof bytes, 0) == sizeof bytes && is_all(bytes, sizeof bytes, 'A'));
  munmap(next, 64 * kPage);
  close(file);
  unlink(path);
}

/* A mapping of the process keeps the rank here until all of it is gone. */
static void check_parts_of_what_stays(void) {
  char* const place = mmap(NULL, 4 * kPage, kAccess, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(munmap(place, kPage) == 0 && is_kept_by("mmap"));
  CHECK(munmap(place + 2 * kPage, kPage) == 0 && is_kept_by("mmap"));
  char* const moved = mremap(place + kPage, kPage, 2 * kPage, MREMAP_MAYMOVE);
  CHECK(moved != MAP_FAILED && munmap(place + 3 * kPage, kPage) == 0 && is_kept_by("mremap"));
  CHECK(munmap(moved, kPage) == 0 && is_kept_by("mremap") && munmap(moved + kPage, kPage) == 0 && is_free());
}

static void check_locked_memory(void) {
  char* const place = map(4 * kPage);
  if (mlock(place, 4 * kPage) == 0) { /* else the user may lock nothing */
    memset(place, 9, 4 * kPage);
  }
  munmap(place, 4 * kPage);
  char* const next = map(4 * kPage);
  CHECK(is_zero(next, 4 * kPage));
  munmap(next, 4 * kPage);
  CHECK(mlockall(MCL_CURRENT) != 0 && errno == ENOMEM); /* it would be the memory of all ranks */
}

static void check_others(void) {
  char* const shared = mmap(NULL, kPage, kAccess, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(is_kept_by("mmap"));
  char* const moved = mremap(shared, kPage, 4 * kPage, MREMAP_MAYMOVE);
  CHECK(moved != MAP_FAILED && is_kept_by("mremap"));
  CHECK(munmap(moved, 4 * kPage) == 0 && is_free());
  char* const place = map(4 * kPage);
  memset(place, 7, 4 * kPage);
  CHECK(mmap(place + kPage, kPage, kAccess, kPlain | MAP_FIXED, -1, 0) == place + kPage); /* its page anew */
  CHECK(is_free() && is_zero(place + kPage, kPage) && is_all(place + 2 * kPage, 2 * kPage, 7));
  const int file = open("/proc/self/exe", O_RDONLY);
  CHECK(mmap(place + kPage, kPage, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) == place + kPage);
  close(file);
  CHECK(is_kept_by("mapped over"));
  CHECK(munmap(place + kPage, kPage) == 0 && is_free());
  CHECK(munmap(place, 4 * kPage) == 0);
  char* const next = map(4 * kPage);
  CHECK(is_zero(next, 4 * kPage));
  memset(next, 8, 4 * kPage); /* nothing of the file is left there */
  CHECK(munmap(next + 1, kPage) != 0 && errno == EINVAL);
  CHECK(munmap(next, 0) != 0 && errno == EINVAL);
  CHECK(munmap(next, 4 * kPage) == 0);
  CHECK(mmap(NULL, 0, kAccess, kPlain, -1, 0) == MAP_FAILED && errno == EINVAL);
  char* const reserved =
      mmap(NULL, (size_t)1 << 44, kAccess, kPlain | MAP_NORESERVE, -1, 0); /* more than a rank's heap may have */
  if (reserved != MAP_FAILED) {
    CHECK(is_kept_by("mmap"));
    munmap(reserved, (size_t)1 << 44);
  }
  CHECK(is_free());
}

int main(void) {
  check_memory();
  check_parts();
  check_sizes();
  check_rights();
  check_files_over_memory();
  check_parts_of_what_stays();
  check_locked_memory();
  check_others();
  return failures;
}
