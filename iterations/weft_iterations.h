/* Shares the iterations of a loop whose iterations are independent (Monte Carlo histories, say) among the ranks of a
   communicator, so that all finish together although some are slower, and each index counts exactly once. After
   RUPER-LB (Gimenez-Alventosa 2020). Uses MPI-3, and no thread of its own: messages are handled inside of these
   calls, which one thread at a time may make. docs/iterations.md has an example.

   In a job of weftrun --survive api a loop continues after the death of a process: the work of its ranks is repeated.

   Every function returns one of the codes below. None aborts, but begin duplicates the program's communicator: if that
   fails, the communicator's error handler is called, and the usual one, MPI_ERRORS_ARE_FATAL, ends the job. Times are
   in seconds. */
#ifndef WEFT_ITERATIONS_H
#define WEFT_ITERATIONS_H

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  WEFT_ITERATIONS_OK = 0,
  WEFT_ITERATIONS_REVOKED = 1, /* report: the current lease no longer counts; leave it and call next */
  WEFT_ITERATIONS_UNKNOWN = 2, /* predict: nothing has been reported yet */
  WEFT_ITERATIONS_ERR_ARGUMENT =
      3, /* a null pointer, a value out of range, ranks that begin with different values or one that has no memory */
  WEFT_ITERATIONS_ERR_STATE = 4, /* end before next has given a count of 0 */
  WEFT_ITERATIONS_ERR_MPI = 5,   /* an MPI call failed */
  WEFT_ITERATIONS_ERR_MEMORY = 6
};

typedef struct weft_iterations weft_iterations;

typedef struct weft_iterations_options {
  double report_seconds; /* longest time between reports of a rank, Delta t_pc; default 300, at least 0.001 */
  double max_deviation;  /* relative change of speed after which reports come sooner, ds_max; default 0.1, above 0 */
  double min_seconds;   /* with less left to do, nothing is shared out again, t_min; default -1: report_seconds / 100 */
  double lease_seconds; /* intended duration of a lease; default 0: report_seconds / 200, at most 0.02 */
  int group_size;       /* ranks of a group; default 0: those that share memory (MPI_COMM_TYPE_SHARED) */
  /* Tallies, to which the program adds what an iteration gives, before the call that says that the iteration is done.
     While the loop runs they hold only what has not been sent yet; after end they hold the sum over all iterations of
     this rank that count. May be null with length 0. Only this rank's calls change them; they must stay where they are
     until end. */
  int64_t* counts;
  int counts_length;
  double* sums;
  int sums_length;
} weft_iterations_options;

typedef struct weft_iterations_stats {
  int64_t credited; /* iterations of this rank that count; the sum over all surviving ranks is `total` */
  int64_t refused;  /* iterations that this rank has done or begun and that do not count, because it was silent or a
                       process died */
  int64_t reports;  /* of this rank as a worker */
  int64_t messages_sent; /* by this rank, to other ranks */
  int64_t bytes_sent;    /* in them */
  int64_t times_silent;  /* how often this rank, as a leader or as rank 0, revoked a worker's leases */
  double finish_seconds; /* from begin to the end of this rank's last lease */
  double waited_seconds; /* in next, without a lease */
} weft_iterations_stats;

/* Sets the defaults. ERR_ARGUMENT: null. */
int weft_iterations_default_options(weft_iterations_options* options);

/* Collective over comm. Indices 0 ... total - 1 are to be done; total is at most 2^53. options: null for the defaults;
   what is not a tally must be equal on all ranks. On an error every rank gets an error code and *handle is null; a rank
   without memory for its tallies gets ERR_MEMORY, the others ERR_ARGUMENT. Only with MPI_COMM_NULL is the call not
   collective. */
int weft_iterations_begin(MPI_Comm comm, int64_t total, const weft_iterations_options* options,
                          weft_iterations** handle);

/* Completes the current lease of this rank, if it has one, and leases indices *first ... *first + *count - 1 to it.
   Waits while there are none to lease. *count is 0 once all indices count. */
int weft_iterations_next(weft_iterations* handle, int64_t* first, int64_t* count);

/* Reports that the next `done` iterations of the lease are done. Useful with long iterations, since it also handles
   messages (done may be 0). REVOKED: leave the lease and call next. Either this rank was silent, and its tallies since
   its last report do not count; or a process has died, and they may count. ERR_ARGUMENT: the lease has fewer iterations
   left. */
int weft_iterations_report(weft_iterations* handle, int64_t done);

/* Predicted seconds until all is done (Fig. 3: t_res), and between the first and the last group to finish, if nothing
   were shared out again. As last heard from rank 0. UNKNOWN before that. */
int weft_iterations_predict(weft_iterations* handle, double* seconds_left, double* finish_spread);

/* Collective. Frees the handle and sets it to null; tallies then hold what counts. stats may be null. On an error the
 * handle is kept; after ERR_STATE nothing has been done. */
int weft_iterations_end(weft_iterations** handle, weft_iterations_stats* stats);

/* Describes a code in one line; never null. */
const char* weft_iterations_text(int code);

#ifdef __cplusplus
}
#endif

#endif
