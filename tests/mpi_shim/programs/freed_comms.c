// Communicators that one member frees while the others have not come to its last call yet: each must get what was sent.
#include <mpi.h>
#include <stdio.h>

static int rank, size, wrong;

// Broadcasts from each member in turn and frees: a root does not wait for the others.
static void use_and_free(MPI_Comm comm, int round, const char* made_by) {
  int me, members, value = -1;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &members);
  const int root = round % members;
  if (me == root) value = 1000 * round + members;
  MPI_Bcast(&value, 1, MPI_INT, root, comm);
  MPI_Comm_free(&comm);
  if (value != 1000 * round + members) {
    printf("WRONG: rank %d got %d in round %d, %s\n", rank, value, round, made_by);
    wrong = 1;
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void check_groups_of(int width, int round) {
  const int first = rank / width * width, last = first + width <= size ? first + width - 1 : size - 1;
  MPI_Comm part, made;
  MPI_Comm_split(MPI_COMM_WORLD, rank / width, 0, &part);
  MPI_Comm_dup(part, &made);
  use_and_free(made, round, "MPI_Comm_dup");

  MPI_Request request;
  MPI_Comm_idup(part, &made, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  use_and_free(made, round, "MPI_Comm_idup");

  MPI_Group world, group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int range[1][3] = {{first, last, 1}};
  MPI_Group_range_incl(world, 1, range, &group);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, width, &made);
  use_and_free(made, round, "MPI_Comm_create_group");
  MPI_Group_free(&group);
  MPI_Group_free(&world);

  const int members = last - first + 1, periodic = 1;
  MPI_Cart_create(part, 1, &members, &periodic, 0, &made);
  use_and_free(made, round, "MPI_Cart_create");
  use_and_free(part, round, "MPI_Comm_split");

  // Two sides that merge; a lone rank has but one.
  MPI_Comm side;
  const int odd = (rank - first) % 2;
  MPI_Comm_split(MPI_COMM_WORLD, 2 * (rank / width) + odd, 0, &side);
  if (members > 1) {
    MPI_Comm inter;
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, first + 1 - odd, width, &inter);
    MPI_Intercomm_merge(inter, odd, &made);
    MPI_Comm_free(&inter);
  } else {
    MPI_Comm_dup(side, &made);
  }
  use_and_free(made, round, "MPI_Intercomm_merge");
  use_and_free(side, round, "MPI_Comm_split of a side");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < 6; ++round) {
    for (int width = 1; width <= size; width *= 2) check_groups_of(width, round);
    MPI_Migrate();
  }
  int any = 0;
  MPI_Reduce(&wrong, &any, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0 && !any) printf("all freed right\n");
  MPI_Finalize();
  return 0;
}
