/* Of weftrun --survive api: jobs that replace who has died, are killed from outside, or end all the same. As
 * failures.c. */
#include "failures.h"

/* Those that live start others for those that have died, and all go on together. */
static void replaced(char* program) {
  MPI_Comm living, with_new, all;
  char* arguments[] = {"new", NULL};
  int error, count, sum = 0, one = 1;
  if (rank == who) {
    die();
  }
  error = MPI_Barrier(MPI_COMM_WORLD);
  EXPECT(class_of(error) == MPIX_ERR_PROC_FAILED);
  EXPECT(MPIX_Comm_shrink(MPI_COMM_WORLD, &living) == MPI_SUCCESS);
  MPI_Comm_size(living, &count);
  EXPECT(MPI_Comm_spawn(program, arguments, size - count, MPI_INFO_NULL, 0, living, &with_new, MPI_ERRCODES_IGNORE) ==
         MPI_SUCCESS);
  EXPECT(MPI_Intercomm_merge(with_new, 0, &all) == MPI_SUCCESS);
  EXPECT(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all) == MPI_SUCCESS && sum == size);
  MPI_Comm_free(&all);
  MPI_Comm_free(&with_new);
  MPI_Comm_free(&living);
}

static int be_new(void) {
  MPI_Comm parent, all;
  int sum = 0, one = 1;
  MPI_Comm_get_parent(&parent);
  MPI_Intercomm_merge(parent, 1, &all);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  MPI_Comm_free(&all);
  MPI_Comm_free(&parent);
  MPI_Finalize();
  return 0;
}

/* Rank 0 says which processes there are; whoever leads those that live says when a round is over; until one process is
   left. */
static void rounds(void) {
  MPI_Comm comm, small;
  int own = (int)getpid(), me, count, done = 0;
  int* numbers = malloc(sizeof(int) * (size_t)size);
  MPI_Gather(&own, 1, MPI_INT, numbers, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int i = 0; rank == 0 && i < size; ++i) {
    printf("%d%c", numbers[i], i + 1 < size ? ' ' : '\n');
  }
  fflush(stdout);
  while (!done) {
    int sum = 0, one = 1, well, alone, others = 0;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &count);
    for (well = 1; well;) {
      well = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS;
      EXPECT(!well || sum == count);
      well = well && MPI_Sendrecv(&own, 1, MPI_INT, (me + 1) % count, 1, &others, 1, MPI_INT, (me + count - 1) % count,
                                  1, comm, MPI_STATUS_IGNORE) == MPI_SUCCESS;
      alone = others == own;
      if (well) {
        well = MPI_Allreduce(MPI_IN_PLACE, &alone, 1, MPI_INT, MPI_LAND, comm) == MPI_SUCCESS;
        done = well && alone;
      }
      if (!well) {
        MPIX_Comm_revoke(comm);
      }
      if (done) {
        break;
      }
      if (me == 0 && well) {
        printf("round\n");
        fflush(stdout);
      }
      MPIX_Comm_agree(comm, &well);
    }
    if (!done) {
      EXPECT(MPIX_Comm_shrink(comm, &small) == MPI_SUCCESS);
      MPI_Comm_free(&comm);
      comm = small;
    }
  }
  free(numbers);
}

/* Ways in which the job ends all the same. */
static void ending(const char* how) {
  if (strcmp(how, "aborts") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Abort(MPI_COMM_WORLD, 3);
  } else if (strcmp(how, "all") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    die();
  } else if (strcmp(how, "fatal") == 0) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    if (rank == who) {
      die();
    }
    for (;;) {
      MPI_Barrier(MPI_COMM_WORLD);
    }
  } else if (strcmp(how, "exits") == 0) {
    if (rank == who) {
      exit(5);
    }
    EXPECT(class_of(MPI_Barrier(MPI_COMM_WORLD)) == MPIX_ERR_PROC_FAILED);
  }
}

/* Without --survive api: calls that only ask have nothing to tell, the others fail. */
static int unsupported(void) {
  MPI_Group group;
  MPI_Comm comm;
  int flag = 1, count = -1, *tolerates = NULL;
  EXPECT(MPIX_Comm_is_revoked(MPI_COMM_WORLD, &flag) == MPI_SUCCESS && flag == 0);
  EXPECT(MPIX_Comm_failure_ack(MPI_COMM_WORLD) == MPI_SUCCESS);
  EXPECT(MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, &group) == MPI_SUCCESS);
  MPI_Group_size(group, &count);
  EXPECT(count == 0);
  EXPECT(class_of(MPIX_Comm_revoke(MPI_COMM_WORLD)) == MPI_ERR_UNSUPPORTED_OPERATION);
  EXPECT(class_of(MPIX_Comm_agree(MPI_COMM_WORLD, &flag)) == MPI_ERR_UNSUPPORTED_OPERATION);
  EXPECT(class_of(MPIX_Comm_shrink(MPI_COMM_WORLD, &comm)) == MPI_ERR_UNSUPPORTED_OPERATION);
  EXPECT(class_of(MPIX_Comm_revoke(MPI_COMM_NULL)) == MPI_ERR_COMM);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &tolerates, &flag);
  EXPECT(flag && *tolerates == 0);
  MPI_Finalize();
  return faults;
}

int main(int argc, char** argv) {
  const char* scenario = argc > 1 ? argv[1] : "";
  begin(&argc, &argv);
  if (strcmp(scenario, "new") == 0) {
    return be_new();
  }
  if (strcmp(scenario, "unsupported") == 0) {
    return unsupported();
  }
  if (strcmp(scenario, "replaced") == 0) {
    replaced(argv[0]);
  } else if (strcmp(scenario, "rounds") == 0) {
    rounds();
  } else {
    ending(scenario);
  }
  end(scenario);
  return 0;
}
