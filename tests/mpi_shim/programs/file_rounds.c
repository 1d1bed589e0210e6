/* Rounds with a step each; every rank has files open, and adds to them: file_rounds <rounds> [<what rank 1 holds>]

   It writes out.R by stdio (flushed sometimes), raw.R by a descriptor, the file "shared", to which all append, and
   "ordered" of MPI_File_open. Who dies or stops has written to that what nobody else does. A file die.R.K in the
   working directory kills rank R in round K, once; stop.R.K ends it with code 7. Rank 1 may hold what keeps it where it
   is: removed, locked, proc, pipe, folder; or "place": it writes in.1 from its beginning in each round. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "mpi.h"
#include "weft.h"

static const char* name_of(const char* what, int rank) {
  static char name[64];
  snprintf(name, sizeof name, "%s.%d", what, rank);
  return name;
}

static MPI_File ordered;

static void write_more(void) {
  char text[3000];
  memset(text, 'x', sizeof text);
  MPI_File_write_shared(ordered, text, (int)sizeof text, MPI_CHAR, MPI_STATUS_IGNORE);
}

static void happen(int rank, int round) {
  char name[64];
  snprintf(name, sizeof name, "die.%d.%d", rank, round);
  if (unlink(name) == 0) {
    write_more();
    raise(SIGKILL);
    pause();
  }
  snprintf(name, sizeof name, "stop.%d.%d", rank, round);
  if (unlink(name) == 0) {
    write_more();
    _exit(7);
  }
}

static int held = -1;

static void hold(const char* what) {
  int ends[2];
  if (strcmp(what, "removed") == 0) {
    held = open("gone", O_RDWR | O_CREAT, 0600);
    unlink("gone");
  } else if (strcmp(what, "locked") == 0) {
    held = open("locked", O_RDWR | O_CREAT, 0600);
    flock(held, LOCK_EX);
  } else if (strcmp(what, "proc") == 0) {
    held = open("/proc/self/status", O_RDONLY);
  } else if (strcmp(what, "pipe") == 0) {
    held = pipe(ends) == 0 ? ends[0] : -1;
  } else if (strcmp(what, "folder") == 0) {
    held = opendir(".") != NULL ? 0 : -1;
  } else if (strcmp(what, "place") == 0) {
    held = open("in.1", O_RDWR | O_CREAT, 0600);
  }
  if (held < 0) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int rounds = atoi(argv[1]);
  const char* const what = argc > 2 ? argv[2] : "";
  FILE* const out = fopen(name_of("out", rank), "w");
  const int raw = open(name_of("raw", rank), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int shared = open("shared", O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (out == NULL || raw < 0 || shared < 0) {
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (rank == 1 && what[0] != '\0') {
    hold(what);
  }
  MPI_File_open(MPI_COMM_WORLD, "ordered", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &ordered);
  for (int round = 0; round < rounds; ++round) {
    MPI_Migrate();
    char line[64];
    const int n = snprintf(line, sizeof line, "rank %d, round %d: %d\n", rank, round, rank * round);
    fputs(line, out);
    if (round % 3 == rank % 3) {
      fflush(out);
    }
    if (write(raw, line, (size_t)n) != n || write(shared, "+", 1) != 1) {
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (rank == 1 && strcmp(what, "place") == 0 && pwrite(held, line, (size_t)n, 0) != n) {
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_File_write_ordered(ordered, line, n, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD); /* all have written what the death undoes */
    happen(rank, round);
  }
  MPI_File_close(&ordered);
  fclose(out);
  close(raw);
  close(shared);
  printf("rank %d is done\n", rank);
  MPI_Finalize();
  return 0;
}
