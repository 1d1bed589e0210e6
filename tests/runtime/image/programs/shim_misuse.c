/* Mistakes that must end the job with the rank's name. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim_check.h"

static char* shared_by_address(int rank) {
  /* A rank's variables lie at the same offset in every slot. */
  static char* mine;
  mine = malloc(100);
  char* other = NULL;
  const char* slot_size = getenv("SHIM_TEST_SLOT");
  memcpy(&other, &mine, sizeof other);
  return other + (rank == 0 ? 1 : -1) * strtol(slot_size, NULL, 0);
}

int main(void) {
  const char* which = getenv("SHIM_TEST_CASE");
  char* block = malloc(100);
  char* large = malloc(100000);
  char* behind = malloc(100000);
  static char variable[64];
  char on_stack[64];
  char* volatile victim = block;
  printf("written before\n");
  if (host_rank() != 1) {
    return 0;
  }
  if (strcmp(which, "double free") == 0) {
    free(victim);
    free(victim);
  } else if (strcmp(which, "overrun") == 0) {
    victim = large;
    for (int i = 0; i < 100016; ++i) {
      victim[i] = 1;
    }
    free(victim);
  } else if (strcmp(which, "variable") == 0) {
    victim = variable;
    free(victim + 16);
  } else if (strcmp(which, "stack") == 0) {
    victim = on_stack;
    free(victim + 16);
  } else if (strcmp(which, "other rank") == 0) {
    victim = shared_by_address(1);
    free(victim);
  } else if (strcmp(which, "abort") == 0) {
    printf("last words");
    abort();
  } else if (strcmp(which, "assert") == 0) {
    assert(behind == NULL);
  }
  return 1;
}
