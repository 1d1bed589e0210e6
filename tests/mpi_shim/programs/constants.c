/* Special constants in the place of arrays, of which a compiler must not think that they are read or written. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int one[1] = {0};
  MPI_Comm adjacent, empty, general, child;
  MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, one, MPI_UNWEIGHTED, 1, one, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &adjacent);
  MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 0, one, MPI_WEIGHTS_EMPTY, 0, one, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0,
                                 &empty);
  MPI_Dist_graph_create(MPI_COMM_SELF, 1, one, one, one, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &general);
  MPI_Dist_graph_neighbors(adjacent, 1, one, MPI_UNWEIGHTED, 1, one, MPI_UNWEIGHTED);
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  int indices[2], flag, count;
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
  MPI_Waitsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
  MPI_Testsome(2, requests, &count, indices, MPI_STATUSES_IGNORE);
  MPI_Request_get_status_all(2, requests, &flag, MPI_STATUSES_IGNORE);
  if (argc > 9) {
    char* commands[1] = {argv[0]};
    MPI_Info info[1] = {MPI_INFO_NULL};
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child, MPI_ERRCODES_IGNORE);
    MPI_Comm_spawn_multiple(1, commands, MPI_ARGVS_NULL, one, info, 0, MPI_COMM_SELF, &child, MPI_ERRCODES_IGNORE);
  }
  MPI_Comm_free(&adjacent);
  MPI_Comm_free(&empty);
  MPI_Comm_free(&general);
  printf("all constants\n");
  MPI_Finalize();
  return 0;
}
