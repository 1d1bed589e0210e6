/* Handlers of signals that jump within themselves, jump out of themselves, and exit. */
#define _GNU_SOURCE
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/image/shim_abi.h"
#include "shim_check.h"

extern struct WeftShimInfo weft_shim_info;

static jmp_buf inside, outside;
static volatile int handled, yields;

static int count_yield(void) {
  ++yields;
  return 1;
}

/* The shim lets other ranks run, but not while a handler runs. */
static int is_in_handler(void) {
  const int before = yields;
  sched_yield();
  return yields == before;
}

static int is_blocked(int signal) {
  sigset_t now;
  return pthread_sigmask(SIG_BLOCK, NULL, &now) != 0 || sigismember(&now, signal) != 0;
}

static void check_outside(void) { CHECK(!is_in_handler() && !is_blocked(SIGUSR1) && !is_blocked(SIGURG)); }

static void jump_within(void) {
  if (setjmp(inside) == 0) {
    longjmp(inside, 1);
  }
  CHECK(is_in_handler() && is_blocked(SIGURG));
  ++handled;
}

static void stay(int signal) {
  (void)signal;
  jump_within();
}

static void jump_out(int signal) {
  (void)signal;
  jump_within();
  longjmp(outside, 1);
}

static void leave(int signal) {
  (void)signal;
  exit(failures);
}

static void at_end(void) {
  puts(is_blocked(SIGURG) || is_in_handler() ? "wrong" : "no signal is blocked at exit");
  signal(SIGUSR1, SIG_DFL);
}

static void send_by_raise(void) { CHECK(raise(SIGUSR1) == 0); }
static void send_by_system(void) { CHECK(syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR1) == 0); }

static void check_jumps(void (*send)(void)) {
  handled = 0;
  CHECK(signal(SIGUSR1, stay) != SIG_ERR);
  for (int i = 1; i <= 2; ++i) {
    send();
    CHECK(handled == i);
    check_outside();
  }
  CHECK(signal(SIGUSR1, jump_out) == stay);
  for (volatile int i = 3; i <= 4; ++i) {
    if (setjmp(outside) == 0) {
      send();
      CHECK(!"come here");
    }
    CHECK(handled == i);
    check_outside();
  }
  CHECK(signal(SIGUSR1, SIG_DFL) == jump_out);
}

int main(void) {
  weft_shim_info.host.yield = count_yield;
  check_outside();
  check_jumps(send_by_raise);
  check_jumps(send_by_system);
  atexit(at_end);
  signal(SIGUSR1, leave);
  raise(SIGUSR1);
  return 1;
}
