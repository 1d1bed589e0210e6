/* Little of much memory is touched, here and there, and must travel with the rank. */
#include <stdlib.h>
#include <string.h>

#include "host.h"

enum { kBytes = 256 << 20, kStep = 1 << 20 };
static char big[kBytes];

static int recurse(int depth) {
  char local[3000];
  memset(local, depth, sizeof local);
  if (depth == 0) {
    host_yield();
    return 0;
  }
  const int deeper = recurse(depth - 1);
  for (int i = 0; i < 3000; i++) {
    if (local[i] != depth) {
      return deeper + 1;
    }
  }
  return deeper;
}

int main(void) {
  char* heap = malloc(kBytes);
  for (int i = 0; i < kBytes; i += 16 * kStep) {
    big[i + host_rank()] = (char)(i / kStep + 1);
    heap[i + host_rank()] = (char)(i / kStep + 2);
  }
  int failures = recurse(100);
  for (int i = 0; i < kBytes; i += 16 * kStep) {
    failures += big[i + host_rank()] != (char)(i / kStep + 1);
    failures += heap[i + host_rank()] != (char)(i / kStep + 2);
  }
  free(heap);
  return failures != 0;
}
