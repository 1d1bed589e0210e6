/* Ranks that wait for memory, or sleep, without MPI: each way of it lets the others of the worker run.
     pauses token    ranks of a process hand a number around in shared memory
     pauses alone    all others wait for a message of one that sleeps
     pauses alarm    a signal handler ends a sleep, that of its own rank
     pauses threads  the same with threads that sleep by themselves */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static int rank, ranks, wrong;

static void expect(int fact, const char* what) {
  if (!fact) {
    printf("WRONG: rank %d: %s (errno %d)\n", rank, what, errno);
    wrong = 1;
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static const struct timespec kShort = {0, 200000};

static void by_sched_yield(void) { sched_yield(); }
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void by_pthread_yield(void) { pthread_yield(); }
static void by_thrd_yield(void) { thrd_yield(); }
static void by_nanosleep(void) { expect(nanosleep(&kShort, NULL) == 0, "nanosleep"); }
static void by_no_time(void) {
  const struct timespec none = {0, 0};
  expect(nanosleep(&none, NULL) == 0, "nanosleep of nothing");
}
static void by_clock_nanosleep(void) {
  expect(clock_nanosleep(CLOCK_REALTIME, 0, &kShort, NULL) == 0, "clock_nanosleep");
}
static void by_clock_nanosleep_until(void) {
  for (clockid_t clock = CLOCK_REALTIME; clock <= CLOCK_MONOTONIC; ++clock) {
    struct timespec until;
    clock_gettime(clock, &until);
    until.tv_nsec = (until.tv_nsec + 200000) % 1000000000;
    expect(clock_nanosleep(clock, TIMER_ABSTIME, &until, NULL) == 0, "clock_nanosleep until");
  }
}
static void by_usleep(void) { expect(usleep(200) == 0, "usleep"); }
static void by_thrd_sleep(void) { expect(thrd_sleep(&kShort, NULL) == 0, "thrd_sleep"); }
static void by_poll(void) { expect(poll(NULL, 0, 1) == 0, "poll"); }
static void by_ppoll(void) { expect(ppoll(NULL, 0, &kShort, NULL) == 0, "ppoll"); }
static void by_select(void) {
  struct timeval time = {0, 200};
  expect(select(0, NULL, NULL, NULL, &time) == 0 && time.tv_usec == 0, "select");
}
static void by_pselect(void) { expect(pselect(0, NULL, NULL, NULL, &kShort, NULL) == 0, "pselect"); }

static const struct {
  const char* name;
  void (*pause)(void);
} kWays[] = {{"sched_yield", by_sched_yield},
             {"pthread_yield", by_pthread_yield},
             {"thrd_yield", by_thrd_yield},
             {"nanosleep", by_nanosleep},
             {"nanosleep of nothing", by_no_time},
             {"clock_nanosleep", by_clock_nanosleep},
             {"usleep", by_usleep},
             {"clock_nanosleep until", by_clock_nanosleep_until},
             {"thrd_sleep", by_thrd_sleep},
             {"poll", by_poll},
             {"ppoll", by_ppoll},
             {"select", by_select},
             {"pselect", by_pselect}};
enum { kWayCount = sizeof kWays / sizeof kWays[0], kRounds = 5 };

/* Word w is for way w: whose turn it is. */
static void hand_around(void) {
  MPI_Comm near;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
  int me, all;
  MPI_Comm_rank(near, &me);
  MPI_Comm_size(near, &all);
  atomic_int* words = NULL;
  MPI_Win window;
  MPI_Win_allocate_shared(me == 0 ? kWayCount * (MPI_Aint)sizeof(atomic_int) : 0, 1, MPI_INFO_NULL, near, &words,
                          &window);
  MPI_Aint bytes;
  int unit;
  MPI_Win_shared_query(window, 0, &bytes, &unit, &words);
  if (me == 0) {
    memset((void*)words, 0, kWayCount * sizeof(atomic_int));
  }
  MPI_Barrier(near);
  for (int way = 0; way < kWayCount; ++way) {
    errno = EXDEV;
    for (int round = 0; round < kRounds; ++round) {
      while (atomic_load(&words[way]) != round * all + me) {
        kWays[way].pause();
      }
      atomic_fetch_add(&words[way], 1);
    }
    expect(errno == EXDEV, kWays[way].name);
  }
  MPI_Barrier(near);
  MPI_Win_free(&window);
  MPI_Comm_free(&near);
}

static void wait_for_a_sleeper(void) {
  const double begin = now();
  int token = 0;
  if (rank == 0) {
    const struct timespec nap = {0, 300000000};
    nanosleep(&nap, NULL);
    for (int to = 1; to < ranks; ++to) {
      MPI_Send(&to, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
    }
    expect(now() - begin >= 0.3, "woke too early");
    expect(sleep(0) == 0, "sleep");
  } else {
    MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(token == rank, "the message");
  }
}

static atomic_int heard;
static void hear(int signal) {
  (void)signal;
  atomic_fetch_add(&heard, 1);
}
static void hear_more(int signal, siginfo_t* info, void* context) {
  (void)context;
  atomic_fetch_add(&heard, info->si_signo == signal ? 1 : 1000);
}

/* The last rank has the handler; others sleep through it. */
static void be_woken(void) {
  if (rank != ranks - 1) {
    const struct timespec nap = {0, 100000000};
    const double begin = now();
    expect(nanosleep(&nap, NULL) == 0 && now() - begin >= 0.1, "another rank's signal ended the sleep");
    return;
  }
  struct sigaction action = {.sa_handler = hear};
  struct sigaction before;
  expect(sigaction(SIGALRM, &action, NULL) == 0, "sigaction");
  /* Again and again: the first signal may come before the sleep that it is to end. */
  const struct itimerval soon = {.it_interval = {0, 20000}, .it_value = {0, 20000}};
  const struct itimerval never = {.it_value = {0, 0}};
  setitimer(ITIMER_REAL, &soon, NULL);
  const unsigned left = sleep(1000);
  setitimer(ITIMER_REAL, &never, NULL);
  const int first = heard;
  expect(left > 500 && left <= 1000 && first > 0, "the signal did not end sleep");
  action.sa_sigaction = hear_more;
  action.sa_flags = SA_SIGINFO;
  expect(sigaction(SIGALRM, &action, &before) == 0 && before.sa_handler == hear, "the handler before");
  setitimer(ITIMER_REAL, &soon, NULL);
  const struct timespec nap = {1000, 0};
  struct timespec rest = {0, 0};
  errno = 0;
  expect(nanosleep(&nap, &rest) == -1 && errno == EINTR, "the signal did not end nanosleep");
  setitimer(ITIMER_REAL, &never, NULL);
  expect(rest.tv_sec > 500 && heard > first && heard < 1000, "the rest of nanosleep");
  expect(signal(SIGALRM, SIG_IGN) != SIG_ERR && sigaction(SIGALRM, NULL, &before) == 0 && before.sa_handler == SIG_IGN,
         "no handler any more");
}

static void* nap_in_thread(void* unused) {
  const double begin = now();
  for (int i = 0; i < 20; ++i) {
    expect(usleep(1000) == 0 && sched_yield() == 0, "a thread's usleep");
  }
  expect(now() - begin >= 0.02, "a thread woke too early");
  return unused;
}

static void with_threads(void) {
  hand_around();
  wait_for_a_sleeper();
  pthread_t thread;
  pthread_create(&thread, NULL, nap_in_thread, NULL);
  hand_around();
  pthread_join(thread, NULL);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "token";
  int provided;
  MPI_Init_thread(&argc, &argv, strcmp(what, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (strcmp(what, "token") == 0) {
    hand_around();
  } else if (strcmp(what, "alone") == 0) {
    wait_for_a_sleeper();
  } else if (strcmp(what, "alarm") == 0) {
    be_woken();
  } else {
    with_threads();
  }
  int any = 0;
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0 && !any) {
    printf("all ranks went on\n");
  }
  MPI_Finalize();
  return any;
}
