/* Ranks that compute without an end, or until they see what another rank writes; one rank, the last, does not.
     computes abort|error|crash|exit|never|spin|sums|misdescribed [threads] */
#include <math.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

static void compute_for_ever(void) {
  if (rank == 0) {
    puts("rank 0 computes");
    fflush(stdout);
  }
  for (volatile unsigned long n = 0;; ++n) {
  }
}

static void end_the_job(const char* how) {
  if (strcmp(how, "abort") == 0) {
    MPI_Abort(MPI_COMM_WORLD, 7);
  } else if (strcmp(how, "error") == 0) {
    MPI_Send(NULL, -1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  } else if (strcmp(how, "crash") == 0) {
    abort();
  }
  exit(3);
}

/* Each waits for the one before it by looking at memory alone. */
static void spin(void) {
  MPI_Comm near;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
  int me;
  MPI_Comm_rank(near, &me);
  atomic_int* turn = NULL;
  MPI_Win window;
  MPI_Win_allocate_shared(me == 0 ? (MPI_Aint)sizeof(atomic_int) : 0, 1, MPI_INFO_NULL, near, &turn, &window);
  MPI_Aint bytes;
  int unit;
  MPI_Win_shared_query(window, 0, &bytes, &unit, &turn);
  if (me == 0) {
    atomic_store(turn, 0);
  }
  MPI_Barrier(near);
  while (atomic_load(turn) != me) {
  }
  atomic_fetch_add(turn, 1);
  MPI_Win_free(&window);
  MPI_Comm_free(&near);
}

/* Registers of all kinds, the bytes below the stack pointer, errno: nothing may change under a computation. */
static double sum_up(long from, long to) {
  double sum = 0;
  float parts[16] = {0};
  unsigned long mixed = 88172645463325252UL;
  for (long n = from; n < to; ++n) {
    sum += 1.0 / ((double)n * (double)n + 0.5);
    for (int i = 0; i < 16; ++i) {
      parts[i] = 0.5F * parts[i] + (float)(n % (i + 3));
    }
    mixed ^= mixed << 13;
    mixed ^= mixed >> 7;
    mixed ^= mixed << 17;
  }
  for (int i = 0; i < 16; ++i) {
    sum += (double)parts[i];
  }
  return sum + (double)(mixed % 1000003);
}

/* Until every rank has been preempted some times, or as long as that takes without. */
static int sums(double seconds) {
  const double right = sum_up(1, 2000);
  long double here = 1.0L / 3.0L;
  int wrong = 0;
  for (const double begin = MPI_Wtime(); MPI_Wtime() - begin < seconds;) {
    for (int i = 0; i < 1000; ++i) {
      wrong |= sum_up(1, 2000) != right;
      here = here * 3.0L / 3.0L;
    }
  }
  wrong |= fabsl(here - 1.0L / 3.0L) > 1e-15L;
  return wrong;
}

/* As a kernel in assembly that says nonsense of its frame: who walks over it reads address 16. */
static void count_down_misdescribed(void) {
  long n = 8000000000;
  __asm__ volatile(
      ".cfi_remember_state\n\t"
      ".cfi_def_cfa %%rbx, 16\n"
      "1: dec %0\n\t"
      "jnz 1b\n\t"
      ".cfi_restore_state"
      : "+r"(n)
      : "b"(8L));
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  const int threads = argc > 2 && strcmp(argv[2], "threads") == 0;
  int provided;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int wrong = 0;
  if (strcmp(how, "spin") == 0) {
    spin();
  } else if (strcmp(how, "sums") == 0) {
    wrong = sums(5);
  } else if (strcmp(how, "misdescribed") == 0) {
    count_down_misdescribed();
  } else if (rank != ranks - 1 || strcmp(how, "never") == 0) {
    compute_for_ever();
  } else {
    end_the_job(how);
  }
  int any = 0;
  MPI_Reduce(&wrong, &any, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    puts(any ? "WRONG" : "all ranks went on");
  }
  MPI_Finalize();
  return any;
}
