/* Files that are only read can be mapped again elsewhere: they keep no rank in its process. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "mapping_check.h"

/* A file of n pages, page i full of letter 'a' + i. */
static int file_of(char* path, int pages) {
  const int file = mkstemp(strcpy(path, "/tmp/shim_mappings-XXXXXX"));
  CHECK(file >= 0);
  char page[4096];
  for (int i = 0; i < pages; ++i) {
    memset(page, 'a' + i, kPage);
    CHECK(write(file, page, kPage) == (ssize_t)kPage);
  }
  return file;
}

/* They are only read: they can be mapped again elsewhere. */
static void check_files_that_go_along(void) {
  char path[64];
  int file = file_of(path, 8);
  char* const shared = mmap(NULL, 5 * kPage, PROT_READ, MAP_SHARED, file, (off_t)kPage);
  char* const own = mmap(NULL, 2 * kPage - 100, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, (off_t)(6 * kPage));
  CHECK(shared != MAP_FAILED && own != MAP_FAILED);
  close(file);
  CHECK(is_free() && is_all(shared, kPage, 'b') && is_all(shared + 4 * kPage, kPage, 'f'));
  CHECK(is_all(own, kPage, 'g') && is_all(own + kPage, kPage, 'h'));
  file = open(path, O_RDWR);
  CHECK(pwrite(file, "Z", 1, (off_t)(3 * kPage)) == 1 && shared[2 * kPage] == 'Z');
  CHECK(mmap(NULL, kPage, PROT_READ, MAP_SHARED, file, 1) == MAP_FAILED && errno == EINVAL);
  CHECK(munmap(shared + kPage, kPage) == 0 && is_free() && is_all(shared, kPage, 'b'));
  CHECK(shared[2 * kPage] == 'Z' && is_all(shared + 3 * kPage, kPage, 'e'));
  CHECK(mprotect(own, kPage, PROT_READ) == 0 && is_free());
  CHECK(mprotect(own, kPage, kAccess) == 0 && is_kept_by("mprotect"));
  own[0] = 'W';
  CHECK(mprotect(own, kPage, PROT_READ) == 0 && is_kept_by("mprotect") && own[0] == 'W'); /* it is nowhere else */
  CHECK(munmap(own, 2 * kPage) == 0 && is_free());
  CHECK(munmap(shared, 5 * kPage) == 0 && is_free());
  close(file);
  unlink(path);
}

static void check_sizes_of_files(void) {
  char path[64];
  const int file = file_of(path, 8);
  char* const place = mmap(NULL, 4 * kPage, PROT_READ, MAP_SHARED, file, 0);
  char* const larger = mremap(place + 2 * kPage, 2 * kPage, 5 * kPage, MREMAP_MAYMOVE); /* a part */
  CHECK(larger != MAP_FAILED && is_all(larger, kPage, 'c') && is_all(larger + 4 * kPage, kPage, 'g') && is_free());
  CHECK(is_all(place + kPage, kPage, 'b'));
  CHECK(mremap(place, kPage, kPage, 0) == place && is_all(place, 2 * kPage, 'a') == 0 && is_free()); /* as it is */
  CHECK(mremap(larger, 5 * kPage, kPage, 0) == larger && is_all(larger, kPage, 'c'));
  CHECK(mremap(larger, kPage, 2 * kPage, 0) == MAP_FAILED && errno == ENOMEM);
  char* const second = mremap(place, 0, 2 * kPage, MREMAP_MAYMOVE); /* another view */
  CHECK(second != MAP_FAILED && is_all(second + kPage, kPage, 'b') && is_all(place, kPage, 'a') && is_free());
  char* const target = mmap(NULL, kPage, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(mremap(second, kPage, kPage, MREMAP_MAYMOVE | MREMAP_FIXED, target) == target && is_all(target, kPage, 'a'));
  CHECK(is_kept_by("m"));
  munmap(target, kPage);
  char* const heap = map(kPage);
  CHECK(mremap(second + kPage, kPage, kPage, MREMAP_MAYMOVE | MREMAP_FIXED, heap) == heap && is_all(heap, kPage, 'b'));
  CHECK(is_kept_by("mapped over") && munmap(heap, kPage) == 0 && is_free());
  CHECK(mremap(place, kPage, 0, MREMAP_MAYMOVE) == MAP_FAILED && errno == EINVAL && is_all(place, kPage, 'a'));
  CHECK(munmap(place, 2 * kPage) == 0 && munmap(larger, kPage) == 0 && is_free());
  close(file);
  unlink(path);
}

static void check_files_that_stay(void) {
  char path[64];
  const int file = file_of(path, 4);
  char* own = mmap(NULL, kPage, kAccess, MAP_PRIVATE, file, 0);
  CHECK(own != MAP_FAILED && is_kept_by("mmap of a file") && munmap(own, kPage) == 0 && is_free());
  own = mmap(NULL, kPage, kAccess, MAP_SHARED, file, 0);
  CHECK(own != MAP_FAILED && is_kept_by("mmap of a file") && munmap(own, kPage) == 0 && is_free());
  char* const place = mmap(NULL, 4 * kPage, PROT_READ, MAP_SHARED, file, 0);
  CHECK(is_free());
  CHECK(mmap(place, kPage, kAccess, kPlain | MAP_FIXED, -1, 0) == place && is_zero(place, kPage));
  CHECK(is_kept_by("mapped over")); /* it is not of the heap */
  memset(place, 1, kPage);
  CHECK(munmap(place, kPage) == 0 && is_free());
  const int other = open("/dev/null", O_RDONLY);
  CHECK(flock(file, LOCK_EX) == 0 && is_kept_by("is locked") && dup2(other, file) == file); /* the mapping keeps it */
  close(other);
  close(file);
  CHECK(is_kept_by("is locked") && munmap(place, 4 * kPage) == 0 && is_free());
  FILE* const stream = fopen(path, "r");
  CHECK(flock(fileno(stream), LOCK_EX) == 0);
  const int second = dup(fileno(stream));
  char* const locked = mmap(NULL, kPage, PROT_READ, MAP_SHARED, second, 0);
  fclose(stream);
  close(second);
  CHECK(is_kept_by("is locked") && munmap(locked, kPage) == 0 && is_free());
  const int removed = open(path, O_RDONLY);
  char* const nameless = mmap(NULL, kPage, PROT_READ, MAP_SHARED, removed, 0);
  close(removed);
  CHECK(is_free());
  unlink(path);
  CHECK(is_kept_by("has been removed") && munmap(nameless, kPage) == 0 && is_free());
}

/* What the program puts where a mapping was stays. */
static void check_own_places(void) {
  char path[64];
  const int file = file_of(path, 8);
  const size_t bytes = 8 * kPage;
  for (int kind = 0; kind < 3; ++kind) {
    char* const first = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
    char* const second = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
    char* const gone = kind == 0 ? first : second;
    munmap(gone, bytes);
    char* const own = mmap(gone, bytes, kAccess, kPlain | MAP_FIXED, -1, 0);
    CHECK(own == gone && is_kept_by("mapped over"));
    memset(own, 5, bytes);
    if (kind == 2) {
      munmap(first, bytes);
    }
    char* const third = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);
    char* const blocks = malloc(1000 * bytes);
    memset(blocks, 6, 1000 * bytes);
    CHECK(is_all(own, bytes, 5) && is_all(third, kPage, 'a'));
    free(blocks);
    munmap(third, bytes);
    munmap(first, bytes);
    munmap(second, bytes);
    CHECK(is_free());
  }
  /* The same where memory of the heap was. */
  char* const plain = map(bytes);
  munmap(plain, bytes);
  CHECK(mmap(plain, bytes, kAccess, kPlain | MAP_FIXED, -1, 0) == plain && is_free());
  memset(plain, 7, bytes);
  char* const blocks = malloc(1000 * bytes);
  memset(blocks, 8, 1000 * bytes);
  CHECK(is_all(plain, bytes, 7));
  free(blocks);
  munmap(plain, bytes);
  close(file);
  unlink(path);
}

/* As many holes as go along, and more. */
static void check_holes(void) {
  enum { kPages = 400 };
  char path[64];
  const int file = file_of(path, 1);
  CHECK(ftruncate(file, (off_t)(kPages * kPage)) == 0);
  char* const place = mmap(NULL, kPages * kPage, PROT_READ, MAP_SHARED, file, 0);
  for (int i = 1; i < 100; i += 2) {
    CHECK(munmap(place + (size_t)i * kPage, kPage) == 0);
  }
  CHECK(is_free());
  for (int i = 101; i < kPages; i += 2) {
    CHECK(munmap(place + (size_t)i * kPage, kPage) == 0);
  }
  CHECK(is_kept_by("mapped over") && place[0] == 'a' && place[200 * kPage] == 0);
  CHECK(munmap(place, kPages * kPage) == 0 && is_free());
  CHECK(mmap(NULL, kPages * kPage, PROT_READ, MAP_SHARED, file, 0) == place && munmap(place, kPages * kPage) == 0);
  char* const plain = map(kPage);
  munmap(plain, kPage);
  CHECK(mmap(plain, 1000 * kPage, kAccess, MAP_SHARED | MAP_FIXED, -1, 0) == MAP_FAILED && is_free());
  close(file);
  unlink(path);
}

/* Addresses and mappings of the kernel are given back. */
static void check_many_files(void) {
  enum { kFiles = 300 }; /* more than go along */
  char path[64];
  static char* places[kFiles];
  const int file = file_of(path, 2);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kFiles; ++i) {
      places[i] = mmap(NULL, kPage, PROT_READ, MAP_PRIVATE, file, (off_t)kPage);
      CHECK(is_all(places[i], kPage, 'b'));
    }
    CHECK(is_kept_by("mmap of a file"));
    for (int i = 0; i < kFiles; ++i) {
      CHECK(munmap(places[(i * 7) % kFiles], kPage) == 0);
    }
    CHECK(is_free());
  }
  char* const first = mmap(NULL, kPage, PROT_READ, MAP_PRIVATE, file, 0);
  for (int i = 0; i < 10000; ++i) {
    char* const next = mmap(NULL, kPage, PROT_READ, MAP_PRIVATE, file, 0);
    CHECK(next < first && next >= first - 16 * kPage);
    munmap(next, kPage);
  }
  munmap(first, kPage);
  char* place = mmap(NULL, kPage, PROT_READ, MAP_PRIVATE, file, 0);
  for (int i = 0; i < 10000; ++i) { /* one is always mapped */
    char* const next = mmap(NULL, kPage, PROT_READ, MAP_PRIVATE, file, 0);
    CHECK(next >= first - 16 * kPage);
    munmap(place, kPage);
    place = next;
  }
  munmap(place, kPage);
  CHECK(is_free());
  close(file);
  unlink(path);
}

int main(void) {
  check_files_that_go_along();
  check_sizes_of_files();
  check_files_that_stay();
  check_own_places();
  check_holes();
  check_many_files();
  return failures;
}
