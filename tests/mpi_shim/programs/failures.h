/* What the programs of weftrun --survive api share: failures.c, failures_jobs.c. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, who;
static int faults;

static void expect(int holds, const char* what, int line) {
  if (!holds) {
    printf("rank %d, line %d: %s\n", rank, line, what);
    fflush(stdout);
    ++faults;
  }
}
#define EXPECT(condition) expect((condition) != 0, #condition, __LINE__)

static int class_of(int error) {
  int its_class = error;
  if (error != MPI_SUCCESS) {
    MPI_Error_class(error, &its_class);
  }
  return its_class;
}

static void die(void) {
  kill(getpid(), SIGKILL);
  for (;;) {
    pause();
  }
}

static void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  who = *argc > 2 ? atoi((*argv)[2]) : size - 1;
}

/* The first rank that lives says that all is well, if all agree. */
static void end(const char* scenario) {
  int well = faults == 0, leads;
  MPI_Comm living;
  MPIX_Comm_shrink(MPI_COMM_WORLD, &living);
  MPI_Comm_rank(living, &leads);
  MPIX_Comm_agree(living, &well);
  if (leads == 0 && well) {
    printf("ok %s\n", scenario);
  }
  MPI_Finalize();
}
