/* Ten rounds with a step each; prints what each rank has at the end. Ends itself in round 7 where a file "die" lies in
 * the working directory. Where a folder "held" does rank 1 keeps it open. Where one "slow" does it is slow, says by a
 * file "begun" that it runs, and waits until that is gone. Where a file "calls" does it calls MPI_Checkpoint for a
 * folder "called" in round 5. Where a file "no-steps" does there is no step. Where one "asks" does each rank asks for
 * another worker in every second step, and must have it after the next one, unless a restart has fewer. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi.h"
#include "weft.h"

static int steps;
static volatile sig_atomic_t heard;

static void hear(int number) { heard += number == SIGWINCH; }

/* Whether the rank hears of a signal to its process. */
static int hears(void) {
  const int before = heard;
  const union sigval nothing = {0};
  sigqueue(getpid(), SIGWINCH, nothing);
  for (int i = 0; i < 100000 && heard == before; ++i) {
    usleep(100);
  }
  return heard != before;
}

static _Thread_local int doubled;

/* A step; with `asks` the rank asks for another worker in every odd round. Returns whether it has not got it since. */
static int step(int round, int asks) {
  static int asked = -1;
  if (asks && round % 2 == 1) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    asked = (rank + round) % weft_worker_count();
    AMPI_Migrate_to_pe(asked);
  }
  MPI_Migrate();
  return round % 2 == 0 && asked != -1 && asked < weft_worker_count() && weft_worker() != asked;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  double* field = malloc(50000 * sizeof *field);
  for (int i = 0; i < 50000; ++i) {
    field[i] = rank;
  }
  FILE* const held = rank == 1 ? fopen("held", "r") : NULL;
  double sum = 0;
  const int asks = access("asks", F_OK) == 0;
  int wrong = signal(SIGWINCH, hear) == SIG_ERR;
  for (int round = 0; round < 10; ++round) {
    const int from = (rank + size - 1) % size, out = 1000 * rank + round;
    int in = -1;
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, from, round, MPI_COMM_WORLD, &request);
    ++steps;
    doubled += 2;
    field[round] = round;
    if (access("no-steps", F_OK) != 0) {
      wrong += step(round, asks);
    }
    if (round == 5 && access("calls", F_OK) == 0) {
      wrong += MPI_Checkpoint("called") != MPI_SUCCESS;
    }
    wrong += !hears();
    MPI_Send(&out, 1, MPI_INT, (rank + 1) % size, round, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += in != 1000 * from + round;
    double mine = rank + round, all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, half);
    sum += all;
    if (round == 7 && rank == 1 && access("die", F_OK) == 0) {
      _exit(7);
    }
    if (access("slow", F_OK) == 0) {
      if (round == 1 && rank == 0) {
        fclose(fopen("begun", "w"));
        while (access("begun", F_OK) == 0) {
          usleep(10000);
        }
      }
      usleep(rank == 0 ? 300000 : 50000);
    }
  }
  wrong += steps != 10 || doubled != 20 || field[9] != 9 || field[49999] != rank;
  printf("rank %d: sum %.1f, %d wrong\n", rank, sum, wrong);
  if (held != NULL) {
    fclose(held);
  }
  MPI_Comm_free(&half);
  free(field);
  MPI_Finalize();
  return wrong;
}
