// Spawns itself and another program; each rank of either has its own globals, arguments and place.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int mine = 7;

static void check(int right, const char* what) {
  if (!right) {
    fprintf(stderr, "WRONG: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
}

static void be_child(int argc, char** argv, MPI_Comm parent) {
  int rank, size, parents, token = -1, *number, found;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_remote_size(parent, &parents);
  check(size == 4, "the children's world has four ranks");
  check(argc == 3 && strcmp(argv[1], "child") == 0 && strcmp(argv[2], " two words ") == 0, "the children's arguments");
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
  check(found && *number == 0, "the first program's number");
  mine += rank;
  MPI_Barrier(MPI_COMM_WORLD);
  check(mine == 7 + rank, "a spawned rank's globals are its own");
  for (int i = 0; i < parents; ++i) {
    MPI_Recv(&token, 1, MPI_INT, i, 3, parent, MPI_STATUS_IGNORE);
    check(token == 100 * i + rank, "a token from a parent");
  }
  MPI_Reduce(&mine, NULL, 1, MPI_INT, MPI_SUM, 0, parent);
  MPI_Comm_disconnect(&parent);
}

static void be_parent(const char* self) {
  char child[] = "child", words[] = " two words ", other[] = "mpi_shim_spawned";
  char* first[] = {child, words, NULL};
  char* second[] = {NULL};
  char* own = strdup(self);
  char* commands[] = {own, other};
  char** arguments[] = {first, second};
  const int most[] = {2, 2};
  const MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
  int rank, size, codes[4], sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm inter;
  mine = 1000;
  MPI_Comm_spawn(own, first, 4, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, codes);
  for (int i = 0; i < 4; ++i) {
    check(codes[i] == MPI_SUCCESS, "error codes");
    const int token = 100 * rank + i;
    MPI_Send(&token, 1, MPI_INT, i, 3, inter);
  }
  MPI_Reduce(NULL, &sum, 1, MPI_INT, MPI_SUM, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
  check(rank != 0 || sum == 4 * 7 + 6, "the children's sum");
  check(mine == 1000, "the parents' globals are their own");
  MPI_Comm_disconnect(&inter);
  commands[0] = other;
  MPI_Comm_spawn_multiple(2, commands, arguments, most, infos, size - 1, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
  sum = 0;
  MPI_Reduce(NULL, &sum, 1, MPI_INT, MPI_SUM, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
  check(rank != 0 || sum == 2 * 30 + 2 * 11, "what the other program counts");
  MPI_Comm_disconnect(&inter);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int error = MPI_Comm_spawn("no such program", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, codes);
  MPI_Error_class(error, &error);
  check(error == MPI_ERR_SPAWN && codes[0] == MPI_ERR_SPAWN && inter == MPI_COMM_NULL, "a program that is not there");
  if (rank == 0) printf("all spawned right\n");
  free(own);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    be_parent(argv[0]);
  } else {
    be_child(argc, argv, parent);
  }
  MPI_Finalize();
  return 0;
}
