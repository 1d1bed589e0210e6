/* A program for endurance.py: endurance <microseconds of a round>. It ends after the number of rounds in the file
 * "stop", or at once if so many rounds are over.
 *
 * In each round all ranks compute with two OpenMP threads each, send a part of their data to a neighbour, allocate and
 * free memory, and call MPI_Migrate. Rank 0 writes a line of each tenth round to "endurance.lines",
 * which it keeps open, and to its output. What it prints depends on the number of rounds alone. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "weft.h"

enum { kThreads = 2, kBlocks = 16, kWords = 8192 };

static int rank, size;

/* Each thread applies the rule to its part alone, so that the order of threads changes nothing. */
static unsigned long compute(unsigned long* words, unsigned long with) {
  unsigned long sum = 0;
#pragma omp parallel for num_threads(kThreads) reduction(+ : sum)
  for (int i = 0; i < kWords; ++i) {
    words[i] = words[i] * 6364136223846793005ul + with + (unsigned long)i;
    sum += words[i] >> 7;
  }
  return sum;
}

static unsigned long* new_block(size_t words, unsigned long with) {
  unsigned long* const block = malloc(words * sizeof *block);
  for (size_t i = 0; i < words; ++i) {
    block[i] = with + i;
  }
  return block;
}

/* Whether to end; rank 0 decides for all. */
static int ends(int round) {
  int end = 0;
  FILE* const stop = rank == 0 ? fopen("stop", "r") : NULL;
  if (stop != NULL) {
    int rounds;
    end = fscanf(stop, "%d", &rounds) == 1 && round >= rounds;
    fclose(stop);
  }
  MPI_Bcast(&end, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return end;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 2) {
    fprintf(stderr, "usage: endurance MICROSECONDS\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const int pause_us = atoi(argv[1]);
  FILE* const lines = rank == 0 ? fopen("endurance.lines", "w") : NULL;
  if (rank == 0 && lines == NULL) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  unsigned long* const words = new_block(kWords, (unsigned long)rank);
  unsigned long* blocks[kBlocks] = {NULL};
  unsigned long checksum = 0;
  int round = 0;
  for (; !ends(round); ++round) {
    const unsigned long mine = compute(words, checksum);
    unsigned long in, all;
    MPI_Sendrecv(&mine, 1, MPI_UNSIGNED_LONG, (rank + 1) % size, 0, &in, 1, MPI_UNSIGNED_LONG, (rank + size - 1) % size,
                 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&in, &all, 1, MPI_UNSIGNED_LONG, MPI_BXOR, MPI_COMM_WORLD);
    checksum = checksum * 31 + in + all;
    unsigned long** const block = &blocks[round % kBlocks];
    checksum += *block == NULL ? 0 : **block;
    free(*block);
    *block = new_block(1 + checksum % 65536, checksum);
    if (rank == 0 && round % 10 == 0) {
      printf("round %d: %lx\n", round, checksum);
      fprintf(lines, "round %d: %lx\n", round, checksum);
    }
    MPI_Migrate();
    if (pause_us > 0) {
      usleep((useconds_t)pause_us);
    }
  }
  for (int i = 0; i < kBlocks; ++i) {
    free(blocks[i]);
  }
  unsigned long sum;
  MPI_Reduce(&checksum, &sum, 1, MPI_UNSIGNED_LONG, MPI_BXOR, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d rounds of %d ranks: %lx\n", round, size, sum);
    fprintf(lines, "%d rounds of %d ranks: %lx\n", round, size, sum);
    fclose(lines);
  }
  free(words);
  MPI_Finalize();
  return 0;
}
