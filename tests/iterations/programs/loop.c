/* loop GROUP_SIZE: loops whose tallies are known, with a rank that is slow and one that is silent for a while; wrong
 * arguments. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "weft_iterations.h"

static int rank, size, wrong;

static void expect(int true_value, const char* what) {
  if (!true_value) {
    printf("rank %d: WRONG: %s\n", rank, what);
    wrong = 1;
  }
}

static void sleep_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

/* Runs `total` iterations; iteration i adds i and 1 to counts and 0.5 to sums. */
static void loop(int64_t total, weft_iterations_options options, int with_slow, int with_silent) {
  int64_t counts[2] = {77, 77}, all[2];
  double sum = 77, all_sums, left, spread;
  weft_iterations* handle = NULL;
  weft_iterations_stats stats;
  options.counts = counts;
  options.counts_length = 2;
  options.sums = &sum;
  options.sums_length = 1;
  expect(weft_iterations_begin(MPI_COMM_WORLD, total, &options, &handle) == WEFT_ITERATIONS_OK, "begin");
  int64_t first, count, leases = 0;
  while (weft_iterations_next(handle, &first, &count) == WEFT_ITERATIONS_OK && count > 0) {
    if (leases++ == 0) {
      expect(weft_iterations_end(&handle, NULL) == WEFT_ITERATIONS_ERR_STATE, "end in the loop");
      expect(weft_iterations_report(handle, count + 1) == WEFT_ITERATIONS_ERR_ARGUMENT, "report of too many");
      expect(weft_iterations_report(handle, -1) == WEFT_ITERATIONS_ERR_ARGUMENT, "report of less than nothing");
    }
    if (leases == 4 && with_silent && rank == size - 1) {
      sleep_ms(100);
    }
    for (int64_t i = first; i < first + count; ++i) {
      counts[0] += i;
      counts[1] += 1;
      sum += 0.5;
      if (i == first + count / 2 && weft_iterations_report(handle, count / 2 + 1) == WEFT_ITERATIONS_REVOKED) {
        break;
      }
    }
    if (with_slow && rank == 0) {
      sleep_ms(1);
    }
    const int code = weft_iterations_predict(handle, &left, &spread);
    expect(code == WEFT_ITERATIONS_UNKNOWN || (code == WEFT_ITERATIONS_OK && left >= 0 && spread >= 0), "predict");
  }
  expect(weft_iterations_end(&handle, &stats) == WEFT_ITERATIONS_OK && handle == NULL, "end");
  expect(counts[1] == stats.credited && sum == 0.5 * (double)stats.credited, "a rank's tallies");
  expect(stats.credited == 0 || stats.finish_seconds > 0, "the end of the last lease");
  MPI_Allreduce(counts, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&sum, &all_sums, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  expect(all[0] == total * (total - 1) / 2 && all[1] == total && all_sums == 0.5 * (double)total, "the tallies of all");
}

static void bad_arguments(weft_iterations_options good) {
  weft_iterations* handle = NULL;
  int64_t first, count;
  weft_iterations_options options = good;
  expect(weft_iterations_default_options(NULL) == WEFT_ITERATIONS_ERR_ARGUMENT, "default_options of null");
  expect(weft_iterations_begin(MPI_COMM_NULL, 1, &good, &handle) == WEFT_ITERATIONS_ERR_ARGUMENT,
         "begin of no communicator");
  expect(weft_iterations_begin(MPI_COMM_WORLD, -1, &good, &handle) == WEFT_ITERATIONS_ERR_ARGUMENT, "begin of -1");
  expect(weft_iterations_begin(MPI_COMM_WORLD, ((int64_t)1 << 53) + 1, &good, &handle) == WEFT_ITERATIONS_ERR_ARGUMENT,
         "begin of more than 2^53");
  /* One rank alone is wrong: all hear of it. */
  expect(weft_iterations_begin(MPI_COMM_WORLD, 1, &good, rank == size - 1 ? NULL : &handle) ==
                 WEFT_ITERATIONS_ERR_ARGUMENT &&
             handle == NULL,
         "begin with a null handle");
  expect(size == 1 || weft_iterations_begin(MPI_COMM_WORLD, rank == 0, &good, &handle) == WEFT_ITERATIONS_ERR_ARGUMENT,
         "begin with different totals");
  options.report_seconds = 0;
  expect(weft_iterations_begin(MPI_COMM_WORLD, 1, &options, &handle) == WEFT_ITERATIONS_ERR_ARGUMENT,
         "report_seconds 0");
  options = good;
  options.min_seconds = 0.0 / (good.lease_seconds - good.lease_seconds);
  expect(weft_iterations_begin(MPI_COMM_WORLD, 1, &options, &handle) == WEFT_ITERATIONS_ERR_ARGUMENT,
         "min_seconds no number");
  options = good;
  options.counts_length = 1;
  expect(weft_iterations_begin(MPI_COMM_WORLD, 1, &options, &handle) == WEFT_ITERATIONS_ERR_ARGUMENT,
         "counts that are null");
  expect(weft_iterations_next(NULL, &first, &count) == WEFT_ITERATIONS_ERR_ARGUMENT, "next of null");
  expect(weft_iterations_report(NULL, 0) == WEFT_ITERATIONS_ERR_ARGUMENT, "report of null");
  expect(weft_iterations_end(&handle, NULL) == WEFT_ITERATIONS_ERR_ARGUMENT, "end of null");
  expect(weft_iterations_text(12345) != NULL && weft_iterations_text(0) != NULL, "text");
}

int main(int argc, char** argv) {
  weft_iterations_options options;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  expect(weft_iterations_default_options(&options) == WEFT_ITERATIONS_OK && options.report_seconds == 300, "defaults");
  options.group_size = argc > 1 ? atoi(argv[1]) : 0;
  bad_arguments(options);
  loop(0, options, 0, 0);
  loop(1, options, 0, 0);
  loop(3000, options, 0, 0);
  options.report_seconds = 0.02;
  options.lease_seconds = 0.0005;
  loop(200, options, 1, 0);
  loop(200, options, 1, 1);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0 && wrong == 0) {
    printf("loops: right\n");
  }
  MPI_Finalize();
  return wrong;
}
