/* Signals that ranks handle, while ranks move: signals [moves]

   One to the process comes to all its ranks that handle it; one that a rank sends to itself comes to that rank alone.
   With "moves" every rank must have come to another process, with its handlers. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mpi.h"
#include "weft.h"

enum { kRounds = 12 };

static int rank, size, faults;
static volatile sig_atomic_t heard, heard_with_info, own_signal, once;
static volatile pid_t sender;

#define CHECK(x)                                                                   \
  do {                                                                             \
    if (!(x)) {                                                                    \
      ++faults;                                                                    \
      fprintf(stderr, "rank %d: line %d: %s does not hold\n", rank, __LINE__, #x); \
    }                                                                              \
  } while (0)

static void hear(int signal) { heard += signal == SIGWINCH; }
static void hear_own(int signal) { own_signal += signal == SIGIO; }
static void hear_once(int signal) { once += signal == SIGHUP; }
static void hear_with_info(int signal, siginfo_t* info, void* context) {
  heard_with_info += signal == SIGRTMIN + 3 && context != NULL;
  sender = info->si_pid;
}

/* Not by kill(), which a rank sends to itself. */
static void send_to_process(int signal) { CHECK(syscall(SYS_kill, getpid(), signal) == 0); }

static void wait_for_more(const volatile sig_atomic_t* count, int than) {
  const time_t end = time(NULL) + 60;
  while (*count <= than && time(NULL) < end) {
    const struct timespec nap = {0, 100000};
    nanosleep(&nap, NULL);
  }
  CHECK(*count > than);
}

/* Others of the process may have sent it meanwhile. */
static void hear_process(int signal, const volatile sig_atomic_t* count) {
  const int before = *count;
  send_to_process(signal);
  wait_for_more(count, before);
}

static void handle_all(void) {
  struct sigaction action = {.sa_handler = hear, .sa_flags = SA_RESTART};
  struct sigaction before;
  CHECK(sigaction(SIGWINCH, &action, &before) == 0 && before.sa_handler == SIG_DFL);
  CHECK(signal(SIGIO, hear_own) == SIG_DFL);
  CHECK(signal(SIGTTOU, SIG_IGN) != SIG_ERR);
  struct sigaction with_info = {.sa_sigaction = hear_with_info, .sa_flags = SA_SIGINFO};
  CHECK(sigaction(SIGRTMIN + 3, &with_info, NULL) == 0);
  CHECK(sigaction(SIGWINCH, NULL, &before) == 0 && before.sa_handler == hear);
}

/* In one process each of them comes to all ranks: real-time signals are not joined. */
static void hear_all(int round, int in_one_process) {
  hear_process(SIGWINCH, &heard);
  hear_process(SIGRTMIN + 3, &heard_with_info);
  CHECK(sender == getpid());
  send_to_process(SIGTTOU); /* would stop the process */
  if (in_one_process) {
    wait_for_more(&heard_with_info, size * (round + 1) - 1);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(heard_with_info == size * (round + 1));
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void send_to_oneself(int round) {
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(own_signal == 3 * round);
  raise(SIGIO);
  CHECK(own_signal == 3 * round + 1);
  kill(getpid(), SIGIO);
  CHECK(own_signal == 3 * round + 2);
  /* Blocked, it comes afterwards. */
  sigset_t mask, before;
  sigemptyset(&mask);
  sigaddset(&mask, SIGIO);
  raise(SIGIO);
  pthread_sigmask(SIG_BLOCK, &mask, &before);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  CHECK(own_signal == 3 * round + 3);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(own_signal == 3 * round + 3);
}

/* SA_RESETHAND: after one signal the default is back; of SIGHUP that would end the process, so SIG_IGN follows. */
static void hear_only_once(void) {
  struct sigaction action = {.sa_handler = hear_once, .sa_flags = (int)SA_RESETHAND};
  struct sigaction now;
  CHECK(sigaction(SIGHUP, &action, NULL) == 0);
  CHECK(raise(SIGHUP) == 0 && once == 1);
  CHECK(sigaction(SIGHUP, NULL, &now) == 0 && now.sa_handler != hear_once);
  CHECK(signal(SIGHUP, SIG_IGN) != hear_once);
}

static int moved(void) {
  static pid_t before;
  const pid_t now = getpid();
  const int is_other = before != 0 && before != now;
  before = now;
  return is_other;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  handle_all();
  MPI_Barrier(MPI_COMM_WORLD);
  int moves = 0;
  for (int round = 0; round < kRounds; ++round) {
    hear_all(round, argc < 2);
    send_to_oneself(round);
    MPI_Migrate();
    moves += moved();
  }
  hear_only_once();
  CHECK(argc < 2 || moves > 0);
  MPI_Barrier(MPI_COMM_WORLD);
  /* Without handlers the default is back: a signal that is ignored, so that nothing happens. */
  CHECK(signal(SIGWINCH, SIG_DFL) == hear);
  MPI_Barrier(MPI_COMM_WORLD);
  const int before = heard;
  send_to_process(SIGWINCH);
  CHECK(heard == before);
  int all;
  MPI_Allreduce(&faults, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d faults\n", all);
  }
  MPI_Finalize();
  return all != 0;
}
