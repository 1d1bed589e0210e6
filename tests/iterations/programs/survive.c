/* survive WHEN WHO [GROUP_SIZE]: a loop with weftrun --survive api, in which the process of the rank WHO dies: before
 * it takes part, in its first lease, or in a later one; or, in later leases, two processes. The indices that it did are
 * done again: the sums over those that live hold each index once. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weft_iterations.h"

enum { kTotal = 20000 };

static int rank, size, who;
static const char* when = "";
static int64_t counts[2], leases;
static double sum;

static int is_now(const char* name, int victim, int64_t lease) {
  return strcmp(when, name) == 0 && rank == victim && leases == lease;
}

static void die_if_due(void) {
  if (is_now("before", who, 0) || is_now("first", who, 1) || is_now("later", who, 20) || is_now("twice", who, 20) ||
      is_now("twice", (who + 2) % size, 21)) {
    kill(getpid(), SIGKILL);
    pause();
  }
}

static void stop(const char* what) {
  printf("rank %d: %s\n", rank, what);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Collective over those that live. */
static MPI_Comm living(void) {
  MPI_Comm comm;
  MPIX_Comm_shrink(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  return comm;
}

/* Where a process dies before the loop has begun, no rank has begun it, and all may begin again. */
static weft_iterations* begin(const weft_iterations_options* options) {
  weft_iterations* handle = NULL;
  MPI_Comm comm = MPI_COMM_WORLD;
  int code = weft_iterations_begin(comm, kTotal, options, &handle);
  if (code == WEFT_ITERATIONS_ERR_MPI && strcmp(when, "before") == 0) {
    comm = living();
    code = weft_iterations_begin(comm, kTotal, options, &handle);
    MPI_Comm_free(&comm);
  }
  if (code != WEFT_ITERATIONS_OK) {
    stop("begin");
  }
  return handle;
}

static void work(weft_iterations* handle, int64_t first, int64_t count) {
  for (int64_t i = first; i < first + count; ++i) {
    const double until = MPI_Wtime() + 20e-6;
    while (MPI_Wtime() < until) {
    }
    counts[0] += i;
    counts[1] += 1;
    sum += 0.5;
    if (i == first + count / 2) {
      die_if_due();
    }
    if (i == first + count / 2 || leases % 3 == 0) {
      const int code = weft_iterations_report(handle, leases % 3 == 0 ? 1 : count / 2 + 1);
      if (code == WEFT_ITERATIONS_REVOKED) {
        return;
      }
      if (code != WEFT_ITERATIONS_OK) {
        stop(weft_iterations_text(code));
      }
    }
  }
}

int main(int argc, char** argv) {
  int leads;
  int64_t all[2], first, count;
  double all_sums;
  weft_iterations_stats stats;
  weft_iterations_options options;
  MPI_Init(&argc, &argv);
  when = argc > 1 ? argv[1] : "";
  who = argc > 2 ? atoi(argv[2]) : 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  weft_iterations_default_options(&options);
  options.report_seconds = 0.05;
  options.lease_seconds = 0.0005;
  options.group_size = argc > 3 ? atoi(argv[3]) : 0;
  options.counts = counts;
  options.counts_length = 2;
  options.sums = &sum;
  options.sums_length = 1;
  die_if_due();
  weft_iterations* handle = begin(&options);
  while (weft_iterations_next(handle, &first, &count) == WEFT_ITERATIONS_OK && count > 0) {
    ++leases;
    work(handle, first, count);
  }
  if (weft_iterations_end(&handle, &stats) != WEFT_ITERATIONS_OK || counts[1] != stats.credited) {
    stop("end");
  }
  MPI_Comm alive = living();
  MPI_Comm_rank(alive, &leads);
  MPI_Reduce(counts, all, 2, MPI_INT64_T, MPI_SUM, 0, alive);
  MPI_Reduce(&sum, &all_sums, 1, MPI_DOUBLE, MPI_SUM, 0, alive);
  if (leads == 0) {
    const int right = all[0] == (int64_t)kTotal * (kTotal - 1) / 2 && all[1] == kTotal && all_sums == 0.5 * kTotal;
    printf("%s %s\n", right ? "right" : "WRONG", when);
  }
  MPI_Finalize();
  return 0;
}
