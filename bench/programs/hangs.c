/* hangs KIND CULPRIT: most ranks hang because of rank CULPRIT. KIND is loop, message, root, window or mutex. Ends when
   it is killed. Comments mark the places that `weft stacks` must name: hangs.py. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int never;
static int rank, size, culprit, next;

static void compute(void) {
  while (!never) { /* loop, window */
  }                /* loop, window */
}

/* This rank is not blocked, so that the job is no deadlock, which would end it. */
static void poll(void) {
  int flag;
  while (!never) {
    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  }
}

static void loop(void) {
  double sum = rank;
  if (rank == culprit) {
    compute();
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* The message to the culprit is never sent. */
static void message(void) {
  int value = 0;
  if (rank == next) {
    poll();
  }
  if (rank == culprit) {
    MPI_Recv(&value, 1, MPI_INT, next, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* message */
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* The others use the culprit as the root; the culprit itself waits for another root. */
static void root(void) {
  MPI_Comm some;
  int value = rank;
  const int right = culprit - (next < culprit); /* the culprit without rank `next` */
  MPI_Comm_split(MPI_COMM_WORLD, rank == next, rank, &some);
  if (rank == next) {
    poll();
  }
  if (rank == culprit) {
    MPI_Bcast(&value, 1, MPI_INT, (right + 1) % (size - 1), some); /* root */
  } else {
    MPI_Bcast(&value, 1, MPI_INT, right, some);
  }
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, some);
}

/* The culprit keeps the lock of its neighbour's window while it computes. */
static void window(void) {
  MPI_Win window;
  int memory = 0;
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (rank == culprit) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, window);
    MPI_Win_flush(next, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == culprit) {
    compute();
  }
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, window);
  MPI_Win_flush(next, window);
}

/* The culprit takes a lock that it holds already. */
static void mutex(void) {
  static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&held);
  if (rank == culprit) {
    pthread_mutex_lock(&held); /* mutex */
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  const char* kind = argc > 1 ? argv[1] : "";
  culprit = argc > 2 ? atoi(argv[2]) : 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  next = (culprit + 1) % size;
  for (int step = 0; step < 3; ++step) {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) {
    puts("hangs now");
    fflush(stdout);
  }
  if (strcmp(kind, "loop") == 0) {
    loop();
  } else if (strcmp(kind, "message") == 0) {
    message();
  } else if (strcmp(kind, "root") == 0) {
    root();
  } else if (strcmp(kind, "window") == 0) {
    window();
  } else if (strcmp(kind, "mutex") == 0) {
    mutex();
  }
  MPI_Finalize();
  return 0;
}
