/* malloc and free in a rank; without MPI (-DWITHOUT_MPI) in an ordinary process.
 * malloc_pair   prints: pair_ns <64 bytes, at once freed>, replace_ns <one of 10,000 blocks of 16 to 1024 bytes> */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifndef WITHOUT_MPI
#include <mpi.h>
#endif

enum { kPairs = 5000000, kReplaces = 2000000, kLive = 10000, kMask = 0xffff };

static void* volatile escape;
static void* blocks[kLive];
static unsigned victims[kMask + 1];
static unsigned sizes[kMask + 1];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double pairs(void) {
  const double start = now();
  for (int i = 0; i < kPairs; ++i) {
    escape = malloc(64);
    free(escape);
  }
  return (now() - start) / kPairs;
}

static double replaces(void) {
  unsigned x = 1;
  for (int i = 0; i <= kMask; ++i) {
    x = x * 1664525U + 1013904223U;
    victims[i] = (x >> 8) % kLive;
    x = x * 1664525U + 1013904223U;
    sizes[i] = 16 + (x >> 8) % 1009;
  }
  for (int i = 0; i < kLive; ++i) {
    blocks[i] = malloc(sizes[i & kMask]);
  }
  const double start = now();
  for (int i = 0; i < kReplaces; ++i) {
    void** block = &blocks[victims[i & kMask]];
    free(*block);
    *block = malloc(sizes[i & kMask]);
    *(volatile char*)*block = 1;
  }
  const double each = (now() - start) / kReplaces;
  for (int i = 0; i < kLive; ++i) {
    free(blocks[i]);
  }
  return each;
}

int main(int argc, char** argv) {
#ifndef WITHOUT_MPI
  MPI_Init(&argc, &argv);
#else
  (void)argc;
  (void)argv;
#endif
  pairs();
  const double pair = pairs();
  const double replace = replaces();
  printf("pair_ns %.3f\nreplace_ns %.3f\n", pair, replace);
#ifndef WITHOUT_MPI
  MPI_Finalize();
#endif
  return 0;
}
