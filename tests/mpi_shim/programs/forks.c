/* What a rank may do to its process, and what its children may.
     forks CALL       the last rank makes this call, which would end the others: the job ends and says so
     forks children   each rank's children run programs; one calls MPI, and ends */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
static char* const kShow[] = {"sh", "-c", "exit $SHOWN", NULL};

static void replace(const char* how) {
  char* const variables[] = {"SHOWN=5", NULL};
  if (strcmp(how, "execv") == 0) {
    execv("/bin/sh", kShow);
  } else if (strcmp(how, "execve") == 0) {
    execve("/bin/sh", kShow, variables);
  } else if (strcmp(how, "execvp") == 0) {
    execvp("sh", kShow);
  } else if (strcmp(how, "execvpe") == 0) {
    execvpe("sh", kShow, variables);
  } else if (strcmp(how, "execl") == 0) {
    execl("/bin/sh", "sh", "-c", "exit $SHOWN", (char*)NULL);
  } else if (strcmp(how, "execlp") == 0) {
    execlp("sh", "sh", "-c", "exit $SHOWN", (char*)NULL);
  } else if (strcmp(how, "execle") == 0) {
    execle("/bin/sh", "sh", "-c", "exit $SHOWN", (char*)NULL, variables);
  } else if (strcmp(how, "fexecve") == 0) {
    fexecve(open("/bin/sh", O_RDONLY), kShow, variables);
  } else if (strcmp(how, "daemon") == 0) {
    daemon(0, 0);
  }
}

static int end_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int wrong;
static void expect(int code, int right, const char* what) {
  if (code != right) {
    printf("WRONG: %s ended with %d\n", what, code);
    wrong = 1;
  }
}

static void have_children(int rank) {
  static const char* const kWays[] = {"execv", "execve", "execvp", "execvpe", "execl", "execlp", "execle", "fexecve"};
  setenv("SHOWN", "5", 1); /* the rank's own environment is that of its children */
  for (size_t i = 0; i < sizeof kWays / sizeof kWays[0]; ++i) {
    const pid_t child = i % 2 == 0 ? fork() : vfork();
    if (child == 0) {
      replace(kWays[i]);
      _exit(99);
    }
    expect(end_of(child), 5, kWays[i]);
  }
  pid_t spawned = 0;
  posix_spawn(&spawned, "/bin/sh", NULL, NULL, kShow, environ);
  expect(end_of(spawned), 5, "posix_spawn");
  expect(WEXITSTATUS(system("exit 6")), 6, "system");
  expect(WEXITSTATUS(pclose(popen("exit 7", "r"))), 7, "popen");
  for (int call = 0; call < 4; ++call) {
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
      int flag = 0;
      MPI_Initialized(&flag); /* any thread may ask */
      int number = rank;
      if (call == 0) {
        MPI_Barrier(MPI_COMM_WORLD);
      } else if (call == 1) {
        MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (call == 2) {
        MPI_Finalize();
      } else {
        MPI_Abort(MPI_COMM_WORLD, 9);
      }
      _exit(0);
    }
    expect(end_of(child), 1, "a child that calls MPI");
  }
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (strcmp(argv[1], "children") == 0) {
    have_children(rank);
  } else if (rank == ranks - 1) {
    replace(argv[1]);
  }
  int any = 0;
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0 && !any) {
    puts("all children ended well");
  }
  MPI_Finalize();
  return any;
}
