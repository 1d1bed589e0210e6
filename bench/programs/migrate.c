/* Measures what a balancing step costs, by what happens in it. weftrun's options decide that: --lb rotate moves every
 * rank, --lb none with --checkpoint none.
 *   migrate step               prints step_us, allreduce_us and step_per_allreduce
 *   migrate move <MiB> <MiB>   rank 0 has touched the first number of MiB of an array of the second; prints move_ms
 * and, against reading a message of as many MiB, move_share_of_read
 *   migrate exchange <KiB>     each rank has touched so many KiB; prints ms_per_move of a step in which all move
 *   migrate save <MiB> <dir>   each rank has touched so many MiB; prints save_ms, and save_share_of_memcpy */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"
#include "weft.h"

static int rank, size;

static void steps(int n) {
  for (int i = 0; i < n; ++i) {
    MPI_Migrate();
  }
}

static void allreduces(int n) {
  for (int i = 0; i < n; ++i) {
    double one = 1, sum;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

/* Writes the array; no compiler can remove that. */
static void touch(char* array, size_t bytes) {
  memset(array, 1, bytes);
  __asm__ volatile("" : : "r"(array) : "memory");
}

static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int n) {
  qsort(values, (size_t)n, sizeof *values, ascending);
  return values[n / 2];
}

enum { ROUNDS = 9 };

static double timed_steps(void) {
  double seconds[ROUNDS];
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Migrate();
    seconds[i] = MPI_Wtime() - start;
  }
  return median(seconds, ROUNDS);
}

/* Seconds to receive so many bytes from the other process into memory that is mapped already. */
static double timed_read(size_t bytes) {
  double seconds[ROUNDS];
  char* const buffer = malloc(bytes);
  touch(buffer, bytes);
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    if (rank == 0) {
      MPI_Send(buffer, (int)bytes, MPI_CHAR, size - 1, 1, MPI_COMM_WORLD);
    } else if (rank == size - 1) {
      MPI_Recv(buffer, (int)bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    seconds[i] = MPI_Wtime() - start;
  }
  free(buffer);
  return median(seconds, ROUNDS);
}

static void move(size_t touched, size_t whole) {
  char* const array = rank == 0 ? malloc(whole) : NULL;
  if (rank == 0) {
    touch(array, touched);
  }
  const double moving = timed_steps();
  free(array);
  const double reading = timed_read(touched);
  if (rank == 0) {
    printf("move_ms %.3f\nmove_share_of_read %.3f\n", moving * 1e3, reading / moving);
  }
}

static void exchange(size_t bytes) {
  char* const array = malloc(bytes);
  touch(array, bytes);
  MPI_Migrate();
  const double moving = timed_steps();
  free(array);
  if (rank == 0) {
    printf("ms_per_move %.3f\n", moving * 1e3 / size);
  }
}

static void save(size_t bytes, const char* folder) {
  char* const array = malloc(bytes);
  char* const copy = malloc(bytes);
  touch(array, bytes);
  touch(copy, bytes);
  double seconds[ROUNDS];
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    memcpy(copy, array, bytes);
    touch(copy, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds[i] = MPI_Wtime() - start;
  }
  const double copying = median(seconds, ROUNDS);
  free(copy);
  char value[300];
  snprintf(value, sizeof value, "to_file=%s", folder);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "ampi_checkpoint", value);
  for (int i = 0; i < ROUNDS; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    AMPI_Migrate(info);
    seconds[i] = MPI_Wtime() - start;
  }
  const double saving = median(seconds, ROUNDS);
  MPI_Info_free(&info);
  free(array);
  if (rank == 0) {
    printf("save_ms %.3f\nsave_share_of_memcpy %.3f\n", saving * 1e3, copying / saving);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const size_t mebibyte = (size_t)1 << 20;
  if (argc > 3 && strcmp(argv[1], "move") == 0) {
    move(mebibyte * (size_t)atoi(argv[2]), mebibyte * (size_t)atoi(argv[3]));
  } else if (argc > 2 && strcmp(argv[1], "exchange") == 0) {
    exchange((size_t)atoi(argv[2]) << 10);
  } else if (argc > 3 && strcmp(argv[1], "save") == 0) {
    save(mebibyte * (size_t)atoi(argv[2]), argv[3]);
  } else {
    const double step = seconds_per_iteration(steps, 0.2);
    const double allreduce = seconds_per_iteration(allreduces, 0.2);
    if (rank == 0) {
      printf("step_us %.3f\nallreduce_us %.3f\nstep_per_allreduce %.3f\n", step * 1e6, allreduce * 1e6,
             step / allreduce);
    }
  }
  MPI_Finalize();
  return 0;
}
