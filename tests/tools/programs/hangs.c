/* A job of which some ranks hang: hangs loop | message | root | lock | mutex | threads | talk | twice | meet | urgent.
   Ends when it is killed. Each place has a mark, by which the test finds its line. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile int never;

static void compute(void) {
  while (!never) { /* compute: at this line */
  }                /* compute: or at this one */
}

/* Answers messages: a rank that is not blocked, so that the job is no deadlock. */
static void serve(void) {
  int flag;
  while (!never) {
    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  }
}

static void loop(int rank) {
  int value = 0;
  if (rank == 1) {
    compute(); /* loop: culprit */
  }
  MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* loop: others */
}

/* Rank 2's message to rank 1 has another tag than that which is waited for. */
static void message(int rank) {
  int value = 0;
  if (rank == 2) {
    MPI_Send(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD);
  }
  if (rank == 1) {
    MPI_Recv(&value, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* message: culprit */
  }
  if (rank == 0) {
    serve();
  }
  MPI_Barrier(MPI_COMM_WORLD); /* message: others */
}

static void root(int rank, int size) {
  MPI_Comm some;
  int value = rank;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &some);
  if (rank == 0) {
    serve();
  }
  if (rank == 1) {
    MPI_Bcast(&value, 1, MPI_INT, 1, some); /* root: culprit */
  }
  if (rank != 1) {
    MPI_Bcast(&value, 1, MPI_INT, 0, some);
  }
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, some); /* root: others */
  (void)size;
}

/* Rank 1 keeps the lock of rank 2's window while it computes. */
static void lock(int rank) {
  MPI_Win window;
  int memory = 0;
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (rank == 1) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window);
    MPI_Win_flush(2, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    compute(); /* lock: culprit */
  }
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window);
  MPI_Win_flush(2, window); /* lock: others */
}

static void mutex(int rank) {
  static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&held);
  if (rank == 1) {
    pthread_mutex_lock(&held); /* mutex: culprit */
  }
  MPI_Barrier(MPI_COMM_WORLD); /* mutex: others */
}

static void* receive(void* unused) {
  int value;
  MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return unused;
}

/* Each rank has a thread that is in a call, too: several threads run the ranks of a worker. */
static void threads(int rank) {
  pthread_t thread;
  pthread_create(&thread, NULL, receive, NULL);
  if (rank == 1) {
    compute(); /* threads: culprit */
  }
  MPI_Barrier(MPI_COMM_WORLD); /* threads: others */
}

/* Rank 1 computes, the ranks from 4 on send 1000 bytes to their neighbours now and then, the others wait. Rank 1 first
   hears of those: one that shares its worker would otherwise perhaps never come to its MPI_Recv. */
static void talk(int rank) {
  char out[1000] = {0}, in[1000];
  const struct timespec pause = {0, 2000000};
  if (rank == 1) {
    for (int i = 0; i < 3; ++i) {
      MPI_Recv(in, 0, MPI_CHAR, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    compute();
  }
  if (rank < 4) {
    MPI_Send(out, 0, MPI_CHAR, 1, 4, MPI_COMM_WORLD);
    MPI_Recv(in, sizeof in, MPI_CHAR, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  while (!never) {
    MPI_Sendrecv(out, sizeof out, MPI_CHAR, rank ^ 1, 6, in, sizeof in, MPI_CHAR, rank ^ 1, 6, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    nanosleep(&pause, NULL);
  }
}

/* Rank 1 computes until there is a file `go`, sends a message, and computes again. */
static void twice(int rank) {
  int value = 0;
  if (rank == 1) {
    while (access("go", F_OK) != 0) {
    }
    MPI_Send(&value, 1, MPI_INT, 2, 5, MPI_COMM_WORLD);
    compute(); /* twice: culprit */
  }
  if (rank == 2) {
    MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) {
    serve();
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Does not hang, and sends no messages where all ranks are in one process. */
static void meet(void) {
  while (!never) {
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* Hangs nowhere. The signal by which Weft stops threads is the program's own. */
static void note_urgent(int number) {
  (void)number;
  if (write(1, "an urgent signal\n", 17) < 0) {
    _exit(1);
  }
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  int rank, size, provided;
  MPI_Init_thread(&argc, &argv, strcmp(how, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (strcmp(how, "urgent") == 0) {
    signal(SIGURG, note_urgent);
  }
  for (int step = 0; step < 3; ++step) {
#ifdef AMPI_VERSION
    AMPI_Migrate(AMPI_INFO_LB_SYNC);
#endif
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) {
    puts("hangs now");
    fflush(stdout);
  }
  if (strcmp(how, "loop") == 0) {
    loop(rank);
  } else if (strcmp(how, "message") == 0) {
    message(rank);
  } else if (strcmp(how, "root") == 0) {
    root(rank, size);
  } else if (strcmp(how, "lock") == 0) {
    lock(rank);
  } else if (strcmp(how, "mutex") == 0) {
    mutex(rank);
  } else if (strcmp(how, "threads") == 0) {
    threads(rank);
  } else if (strcmp(how, "talk") == 0) {
    talk(rank);
  } else if (strcmp(how, "twice") == 0) {
    twice(rank);
  } else if (strcmp(how, "meet") == 0) {
    meet();
  } else if (strcmp(how, "urgent") == 0) {
    serve();
  }
  MPI_Finalize();
  return 0;
}
