/* The program that weftsim calibrate runs under weftrun: it times messages, collective calls, balancing steps and
 * computing. Its arguments are what to time, the number of rounds, milliseconds, and the eager limit in bytes.
 *
 * "pair" uses rank 0 and a rank on the same NUMA node, else the last rank; "numa" uses rank 0 and a rank on another
 * NUMA node. "collective", "balance" and "compute" use all ranks. Each timing lasts about the given milliseconds.
 * "hosts" uses four ranks, two on a worker of each host: the second one computes while the first one sends or receives.
 * "cold" uses two ranks of each worker: the first one computes for the given milliseconds between its messages.
 *
 * Rank 0 prints a line for each timing, "NAME BYTES SECONDS"; a line "round" goes before those of a round, and "shape
 * RANKS WORKERS NODES" before all. */
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft.h>

#include "probe.h"

/* Numbers to compute with; for "cold" also the number of timings, and of messages in each. */
enum { ARRAY = 2048, AREA = 1 << 21, SAMPLES = 31, COLD = 4 };
/* Copies are slow on some processors where one buffer begins a few bytes behind the other, counted modulo a page. */
enum { PAGE = 4096 };

int rank, size;
int partner;
double seconds;
char *out, *in;
int bytes;

int repetitions(double once) {
  const double n = once > 0 ? seconds / BATCHES / once : 1;
  return n < 1 ? 1 : n > 1e6 ? 1000000 : (int)n;
}

double fastest_batch(double (*body)(int n), int n) {
  double fastest = body(n);
  for (int i = 1; i < BATCHES; ++i) {
    const double batch = body(n);
    fastest = batch < fastest ? batch : fastest;
  }
  return fastest;
}

/* The NUMA node of the core that the rank is on; 0 where the system does not say. */
static int numa_node(void) {
  unsigned node = 0;
  return getcpu(NULL, &node) == 0 ? (int)node : 0;
}

void say(const char* name, int length, double value) {
  if (rank == 0) {
    printf("%s %d %.12g\n", name, length, value);
  }
}

/* The rank that rank 0 exchanges messages with; 0 if there is none. */
static int find_partner(int other_node, const int* nodes) {
  for (int i = size - 1; i > 0; --i) {
    if ((nodes[i] != nodes[0]) == other_node) {
      return i;
    }
  }
  return other_node ? 0 : size - 1;
}

/* All ranks repeat the body as often as rank 0 computes. */
static double timed_by_all(double (*body)(int n)) {
  body(1);
  int n = repetitions(body(8));
  MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return fastest_batch(body, n);
}

static double barriers(int n) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < n; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return (MPI_Wtime() - start) / n;
}
static double allreduces(int n) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < n; ++i) {
    MPI_Allreduce(out, in, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  return (MPI_Wtime() - start) / n;
}

static void time_collectives(void) {
  static const int lengths[] = {8, 4096, 65536};
  say("collective", 0, timed_by_all(barriers));
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
    bytes = lengths[i];
    say("collective", bytes, timed_by_all(allreduces));
  }
}

static double steps(int n) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < n; ++i) {
    MPI_Migrate();
  }
  return (MPI_Wtime() - start) / n;
}

/* Under --lb rotate every rank moves in each step that it may move in. */
static void time_steps(void) {
  AMPI_Set_migratable(0);
  say("step", 0, timed_by_all(steps));
  AMPI_Set_migratable(1);
  say("moves", 0, timed_by_all(steps));
}

/* Multiplications and additions over 32 KiB, which the first cache holds; all ranks at once. */
static double compute(int n) {
  static double a[ARRAY], b[ARRAY];
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int k = 0; k < 100 * n; ++k) {
    for (int i = 0; i < ARRAY; ++i) {
      a[i] = a[i] * 0.999 + b[i];
    }
    __asm__ volatile("" : : "r"(a), "r"(b) : "memory");
  }
  return (MPI_Wtime() - start) / n;
}

static void time_computing(void) {
  double mine = timed_by_all(compute) / (100.0 * ARRAY);
  double* const all = malloc((size_t)size * sizeof *all);
  MPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < size; ++i) {
    say("compute", i, all[i]);
  }
  free(all);
}

/* For `seconds`, changes one number after the other in an array that is larger than the caches. */
static void compute_over_memory(void) {
  static double* area;
  static int next;
  area = area ? area : calloc(AREA, sizeof *area);
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) {
    for (int i = next; i < next + 256; ++i) {
      area[i] = area[i] * 0.999 + 1.0;
    }
    next = (next + 256) % AREA;
  }
}

static int compare_doubles(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}
double median(double* samples, size_t count) {
  qsort(samples, count, sizeof *samples, compare_doubles);
  return samples[count / 2];
}

/* The two ranks of a worker take turns: one computes, sends some messages, and yields to the other, which receives
 * them. Returns the seconds for a message. Sets `switching` to the seconds from the sender's yield to the receiver's
 * turn; the first message has the time of the previous yield. */
static double cold_messages(double* switching) {
  double each[SAMPLES], switches[SAMPLES], yielded = 0, turn = 0, last_turn = 0;
  MPI_Request requests[COLD];
  for (int i = -2; i < SAMPLES; ++i) {
    if (rank < partner) {
      compute_over_memory();
      memcpy(out, &yielded, sizeof yielded);
    }
    const double begin = MPI_Wtime();
    for (int k = 0; k < COLD; ++k) {
      if (rank < partner) {
        MPI_Isend(out + k * (LONGEST / COLD), bytes, MPI_CHAR, partner, 1, MPI_COMM_WORLD, &requests[k]);
      } else {
        MPI_Recv(in + k * (LONGEST / COLD), bytes, MPI_CHAR, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    }
    const double end = MPI_Wtime();
    if (i >= 0) {
      each[i] = (end - begin) / COLD;
      memcpy(&switches[i], in, sizeof yielded);
      switches[i] = last_turn - switches[i];
    }
    last_turn = turn;
    yielded = MPI_Wtime();
    AMPI_Yield();
    turn = MPI_Wtime();
    if (rank < partner) {
      MPI_Waitall(COLD, requests, MPI_STATUSES_IGNORE); /* they have been received */
    }
  }
  *switching = median(switches, SAMPLES);
  return median(each, SAMPLES);
}

static void time_cold(int eager) {
  const int longest = LONGEST / COLD;
  const int lengths[] = {sizeof(double), eager + 65536 < longest ? eager + 65536 : longest};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i) {
    bytes = lengths[i];
    double here[2], there[2]; /* the message, the switch */
    here[0] = cold_messages(&here[1]);
    MPI_Sendrecv(here, 2, MPI_DOUBLE, partner, 7, there, 2, MPI_DOUBLE, partner, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    say("send", bytes, here[0]);
    say("receive", bytes, there[0]);
    say("switch", bytes, there[1]);
  }
}

static void time_all(const char* what, int eager) {
  if (strcmp(what, "collective") == 0) {
    time_collectives();
  } else if (strcmp(what, "balance") == 0) {
    time_steps();
  } else if (strcmp(what, "compute") == 0) {
    time_computing();
  } else if (strcmp(what, "cold") == 0) {
    time_cold(eager);
  } else if (strcmp(what, "hosts") == 0) {
    time_hosts(eager);
  } else if (rank == 0 || rank == partner) {
    time_pair(eager);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* const what = argc > 3 ? argv[1] : "";
  const int rounds = argc > 3 ? atoi(argv[2]) : 0;
  seconds = argc > 3 ? atof(argv[3]) * 1e-3 : 0;
  int* const nodes = calloc((size_t)size, sizeof *nodes);
  const int mine = numa_node();
  MPI_Allgather(&mine, 1, MPI_INT, nodes, 1, MPI_INT, MPI_COMM_WORLD);
  int count = 0;
  for (int i = 0; i < size; ++i) {
    int seen = 0;
    for (int k = 0; k < i; ++k) {
      seen |= nodes[k] == nodes[i];
    }
    count += !seen;
  }
  const int is_numa = strcmp(what, "numa") == 0;
  const int is_pair = is_numa || strcmp(what, "pair") == 0;
  const int other = strcmp(what, "cold") == 0 ? rank ^ 1 : strcmp(what, "hosts") == 0 ? size / 2 : 0;
  partner = is_pair ? find_partner(is_numa, nodes) : other;
  out = memset(aligned_alloc(PAGE, LONGEST), 0, LONGEST);
  in = memset(aligned_alloc(PAGE, LONGEST), 0, LONGEST);
  if (rank == 0) {
    printf("shape %d %d %d\n", size, weft_worker_count(), count);
  }
  for (int i = 0; i < rounds && (!is_pair || partner != 0); ++i) {
    if (rank == 0) {
      printf("round\n");
    }
    time_all(what, argc > 4 ? atoi(argv[4]) : 0);
  }
  free(nodes);
  free(out);
  free(in);
  MPI_Finalize();
  return 0;
}
