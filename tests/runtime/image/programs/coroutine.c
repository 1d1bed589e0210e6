/* Yields on a stack of its own making, as coroutines of programs do, and on the rank's. */
#include <stdlib.h>
#include <ucontext.h>

#include "shim_check.h"

enum { kStack = 64 << 10, kRounds = 3 };

static ucontext_t on_rank_stack, on_own_stack;
static int rounds;

static void in_coroutine(void) {
  volatile int local = host_rank();
  for (;;) {
    host_yield();
    CHECK(local == host_rank() + rounds);
    ++rounds;
    ++local;
    swapcontext(&on_own_stack, &on_rank_stack);
  }
}

int main(void) {
  volatile int local = 7 * host_rank();
  char* const stack = malloc(kStack);
  CHECK(stack != NULL && getcontext(&on_own_stack) == 0);
  on_own_stack.uc_stack.ss_sp = stack;
  on_own_stack.uc_stack.ss_size = kStack;
  makecontext(&on_own_stack, in_coroutine, 0);
  for (int i = 0; i < kRounds; ++i) {
    CHECK(swapcontext(&on_rank_stack, &on_own_stack) == 0);
    host_yield();
    CHECK(local == 7 * host_rank());
  }
  CHECK(rounds == kRounds);
  free(stack);
  return failures;
}
