/* Rounds in each of which all ranks spawn two children, come to balancing steps while these live, and to others once
   they have ended; prints what each round has come to: spawn_steps <rounds> [rotates | threads]. With "rotates" a
   step moves each rank as soon as one can: each round waits for that. With "threads" children call MPI by threads,
   which ends steps.

   Files in the working directory say what happens in round K:
     live.K         steps go on while the children live, until it is gone
     ended.K        the same after they have been told to end
     dies.live.K    rank 1 dies while the children live, once: it takes the file away first
     dies.ended.K   the same at the end of the round
   While there is a file "code" children end with code 7. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi.h"
#include "weft.h"

enum { kChildren = 2, kMostRounds = 20 };

static int rank, size, rotates;
static long checksum = 5;
static MPI_Comm left_open[kMostRounds];

static void check(int right, const char* what) {
  if (!right) {
    fprintf(stderr, "WRONG: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

static int worker(void) {
  int *number, found;
  MPI_Comm_get_attr(MPI_COMM_WORLD, AMPI_MY_WTH, &number, &found);
  check(found, "the rank's worker");
  return *number;
}

static void steps_while(const char* what, int round) {
  char name[32];
  snprintf(name, sizeof name, "%s.%d", what, round);
  for (;;) {
    int is_there = access(name, F_OK) == 0;
    MPI_Bcast(&is_there, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!is_there) {
      return;
    }
    MPI_Migrate();
    usleep(1000);
  }
}

static void may_die(const char* when, int round) {
  char name[32];
  snprintf(name, sizeof name, "dies.%s.%d", when, round);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1 && unlink(name) == 0) {
    raise(SIGKILL);
    pause();
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void steps_with_children(int round) {
  const int before = worker();
  for (int i = 0; i < 3; ++i) {
    MPI_Migrate();
    check(worker() == before, "a rank has moved while spawned ranks live");
  }
  steps_while("live", round);
  may_die("live", round);
}

/* They end when they have been told what to add. */
static void end_children(MPI_Comm children) {
  long sum = 0;
  for (int i = 0; i < kChildren; ++i) {
    MPI_Send(&checksum, 1, MPI_LONG, i, 1, children);
  }
  MPI_Reduce(NULL, &sum, 1, MPI_LONG, MPI_SUM, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, children);
  MPI_Bcast(&sum, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  checksum = checksum * 31 + sum + rank;
}

static void steps_after_children(int round) {
  const int before = worker();
  for (int moved = !rotates; !moved;) {
    MPI_Migrate();
    moved = worker() != before;
    MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  steps_while("ended", round);
  may_die("ended", round);
}

struct Words {
  MPI_Comm from;
  long sum;
};

static void* receive_words(void* words) {
  struct Words* const its = words;
  int count;
  MPI_Comm_remote_size(its->from, &count);
  for (int i = 0; i < count; ++i) {
    long word;
    MPI_Recv(&word, 1, MPI_LONG, i, 1, its->from, MPI_STATUS_IGNORE);
    its->sum += word;
  }
  return NULL;
}

static void be_child(MPI_Comm parents, int with_thread) {
  struct Words words = {parents, 0};
  int number;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  check(MPI_Migrate() == MPI_SUCCESS, "MPI_Migrate of a spawned rank");
  if (with_thread) {
    pthread_t thread;
    check(pthread_create(&thread, NULL, receive_words, &words) == 0, "a thread");
    pthread_join(thread, NULL);
  } else {
    receive_words(&words);
  }
  words.sum += number;
  MPI_Reduce(&words.sum, NULL, 1, MPI_LONG, MPI_SUM, 0, parents);
}

int main(int argc, char** argv) {
  int level;
  const int threads = strcmp(argv[argc - 1], "threads") == 0;
  MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm parents, children;
  MPI_Comm_get_parent(&parents);
  if (parents != MPI_COMM_NULL) {
    be_child(parents, threads);
    MPI_Finalize();
    return access("code", F_OK) == 0 ? 7 : 0;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int rounds = argc > 1 ? atoi(argv[1]) : 3;
  rotates = argc > 2 && strcmp(argv[2], "rotates") == 0;
  check(rounds <= kMostRounds, "too many rounds");
  char word[] = "threads";
  char* words[] = {threads ? word : NULL, NULL};
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm_spawn(argv[0], words, kChildren, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    steps_with_children(round);
    end_children(children);
    if (round % 2 == 0) {
      MPI_Comm_free(&children);
    } else {
      left_open[round] = children; /* a rank goes elsewhere with it */
    }
    steps_after_children(round);
    printf("round %d: rank %d has %ld\n", round, rank, checksum);
  }
  for (int round = 1; round < rounds; round += 2) {
    int members;
    MPI_Comm_remote_size(left_open[round], &members);
    check(members == kChildren, "the intercommunicator of children that have ended");
    MPI_Comm_free(&left_open[round]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    puts("all steps right");
  }
  MPI_Finalize();
  return 0;
}
