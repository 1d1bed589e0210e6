/* Of weftrun --survive api: scenarios in which a process dies, and what MPI's calls say then.
   failures SCENARIO [WHO]: the process of world rank WHO (the last one usually) dies, and with it all ranks that it
   has. The first rank that lives prints "ok SCENARIO" at the end, after all have agreed that all is well; whatever else
   is printed is a fault. Runs with any MPI that has ULFM, one rank a process there. */
#include "failures.h"
#include <mpi-ext.h>

/* Of those that live: the number of those that have died. */
static int failed(MPI_Comm comm) {
  MPI_Group group;
  int count;
  MPIX_Comm_failure_ack(comm);
  MPIX_Comm_failure_get_acked(comm, &group);
  MPI_Group_size(group, &count);
  MPI_Group_free(&group);
  return count;
}

/* Waits until the death is known. */
static void learn(MPI_Comm comm) {
  while (failed(comm) == 0) {
    int flag;
    MPI_Iprobe(MPI_ANY_SOURCE, 12345, comm, &flag, MPI_STATUS_IGNORE);
  }
}

static void receives(void) {
  char byte = 7, other;
  MPI_Status status;
  if (rank == who) {
    MPI_Send(&byte, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    MPI_Recv(&byte, 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    die();
  }
  if (rank == 0) {
    MPI_Request posted, any, from_living;
    int error, flag, count;
    MPI_Irecv(&other, 1, MPI_CHAR, 0, 7, MPI_COMM_SELF, &posted);
    MPI_Send(&byte, 1, MPI_CHAR, 0, 7, MPI_COMM_SELF);
    MPI_Wait(&posted, MPI_STATUS_IGNORE);
    MPI_Irecv(&byte, 1, MPI_CHAR, who, 3, MPI_COMM_WORLD, &posted);
    MPI_Irecv(&byte, 1, MPI_CHAR, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &any);
    MPI_Irecv(&byte, 1, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &from_living);
    MPI_Send(&byte, 1, MPI_CHAR, who, 2, MPI_COMM_WORLD);
    do {
      MPI_Request_get_status(posted, &flag, &status);
    } while (!flag);
    MPI_Get_count(&status, MPI_CHAR, &count);
    EXPECT(count == 0); /* and not what the request's place in a table held before */
    EXPECT(class_of(MPI_Wait(&posted, MPI_STATUS_IGNORE)) == MPIX_ERR_PROC_FAILED);
    EXPECT(posted == MPI_REQUEST_NULL);
    /* What was sent before is still there. */
    EXPECT(MPI_Recv(&byte, 1, MPI_CHAR, who, 1, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    EXPECT(status.MPI_SOURCE == who && byte == 7);
    EXPECT(class_of(MPI_Recv(&byte, 1, MPI_CHAR, who, 1, MPI_COMM_WORLD, &status)) == MPIX_ERR_PROC_FAILED);
    EXPECT(class_of(MPI_Send(&byte, 1, MPI_CHAR, who, 1, MPI_COMM_WORLD)) == MPIX_ERR_PROC_FAILED);
    EXPECT(class_of(MPI_Probe(who, 9, MPI_COMM_WORLD, &status)) == MPIX_ERR_PROC_FAILED);
    /* From anybody: the request stays until the death is acknowledged. */
    error = class_of(MPI_Wait(&any, MPI_STATUS_IGNORE));
    EXPECT(error == MPIX_ERR_PROC_FAILED_PENDING && any != MPI_REQUEST_NULL);
    error = class_of(MPI_Wait(&any, MPI_STATUS_IGNORE));
    EXPECT(error == MPIX_ERR_PROC_FAILED_PENDING && any != MPI_REQUEST_NULL);
    EXPECT(class_of(MPI_Recv(&byte, 1, MPI_CHAR, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &status)) == MPIX_ERR_PROC_FAILED);
    EXPECT(failed(MPI_COMM_WORLD) > 0);
    byte = 0;
    MPI_Send(&byte, 1, MPI_CHAR, 1, 6, MPI_COMM_WORLD);
    EXPECT(MPI_Wait(&any, &status) == MPI_SUCCESS && status.MPI_SOURCE == 1 && byte == 9);
    EXPECT(MPI_Wait(&from_living, &status) == MPI_SUCCESS);
  } else if (rank == 1) {
    MPI_Recv(&byte, 1, MPI_CHAR, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    byte = 9;
    MPI_Send(&byte, 1, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
    MPI_Send(&byte, 1, MPI_CHAR, 0, 5, MPI_COMM_WORLD);
  }
}

/* A long message to and from who dies, which waits for the receiver. */
static void long_messages(void) {
  const int bytes = 8 << 20;
  char* memory = malloc((size_t)bytes);
  memset(memory, 1, (size_t)bytes);
  if (rank == who) {
    MPI_Request request;
    MPI_Isend(memory, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &request);
    MPI_Recv(memory, 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    die();
  }
  if (rank == 0) {
    MPI_Status status;
    MPI_Message message;
    MPI_Request send;
    MPI_Isend(memory, bytes, MPI_CHAR, who, 4, MPI_COMM_WORLD, &send);
    MPI_Mprobe(who, 1, MPI_COMM_WORLD, &message, &status);
    MPI_Send(memory, 1, MPI_CHAR, who, 2, MPI_COMM_WORLD);
    EXPECT(class_of(MPI_Wait(&send, MPI_STATUS_IGNORE)) == MPIX_ERR_PROC_FAILED);
    EXPECT(class_of(MPI_Mrecv(memory, bytes, MPI_CHAR, &message, &status)) == MPIX_ERR_PROC_FAILED);
  }
  free(memory);
}

/* Probes that wait while it dies. */
static void probes(void) {
  char byte = 1;
  MPI_Status status;
  MPI_Message message;
  if (rank == who) {
    MPI_Recv(&byte, 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &status);
    die();
  }
  if (rank == 0) {
    MPI_Send(&byte, 1, MPI_CHAR, who, 2, MPI_COMM_WORLD);
    EXPECT(class_of(MPI_Probe(who, 5, MPI_COMM_WORLD, &status)) == MPIX_ERR_PROC_FAILED);
    EXPECT(class_of(MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &message, &status)) == MPIX_ERR_PROC_FAILED);
  } else if (rank == 1) {
    int flag = 1;
    EXPECT(class_of(MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &message, &status)) == MPIX_ERR_PROC_FAILED);
    EXPECT(class_of(MPI_Iprobe(who, 5, MPI_COMM_WORLD, &flag, &status)) == MPIX_ERR_PROC_FAILED && flag == 0);
    EXPECT(class_of(MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, &status)) == MPIX_ERR_PROC_FAILED);
    EXPECT(class_of(MPI_Improbe(who, 5, MPI_COMM_WORLD, &flag, &message, &status)) == MPIX_ERR_PROC_FAILED);
    EXPECT(failed(MPI_COMM_WORLD) > 0);
    EXPECT(MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, &status) == MPI_SUCCESS && flag == 0);
    MPI_Send(&byte, 1, MPI_CHAR, rank, 5, MPI_COMM_WORLD);
    EXPECT(MPI_Mprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &message, &status) == MPI_SUCCESS && status.MPI_SOURCE == 1);
    EXPECT(MPI_Mrecv(&byte, 1, MPI_CHAR, &message, &status) == MPI_SUCCESS);
  }
}

static void collectives(void) {
  MPI_Comm comm;
  double sums[4096], parts[4096];
  int error = MPI_SUCCESS;
  memset(parts, 0, sizeof parts);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int round = 0; error == MPI_SUCCESS; ++round) {
    if (round == 20 && rank == who) {
      die();
    }
    switch (round % 4) {
      case 0:
        error = MPI_Allreduce(parts, sums, 4096, MPI_DOUBLE, MPI_SUM, comm);
        break;
      case 1:
        error = MPI_Bcast(sums, 4096, MPI_DOUBLE, round % size, comm);
        break;
      case 2:
        error = MPI_Barrier(comm);
        break;
      default: {
        MPI_Request request;
        MPI_Iallreduce(parts, sums, 4096, MPI_DOUBLE, MPI_SUM, comm, &request);
        error = MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
    }
  }
  EXPECT(class_of(error) == MPIX_ERR_PROC_FAILED);
  EXPECT(class_of(MPI_Barrier(comm)) == MPIX_ERR_PROC_FAILED);
  MPI_Comm twin = MPI_COMM_NULL;
  EXPECT(class_of(MPI_Comm_dup(comm, &twin)) == MPIX_ERR_PROC_FAILED);
  EXPECT(class_of(MPI_Comm_split(comm, rank % 2, rank, &twin)) == MPIX_ERR_PROC_FAILED);
  MPI_Comm_free(&comm);
}

/* Waits in all kinds of calls, whose peers all live, end by the revocation. */
static void revoked(void) {
  MPI_Comm comm;
  char byte = 0;
  int flag = 0;
  const int bytes = 4 << 20;
  char* memory = calloc((size_t)bytes, 1);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Barrier(comm);
  if (rank == 0) {
    usleep(20000); /* most wait by then; those that do not are told at once */
    EXPECT(MPIX_Comm_revoke(comm) == MPI_SUCCESS);
    EXPECT(MPIX_Comm_revoke(comm) == MPI_SUCCESS);
    EXPECT(MPIX_Comm_is_revoked(comm, &flag) == MPI_SUCCESS && flag == 1);
  } else if (rank % 4 == 1) {
    EXPECT(class_of(MPI_Recv(&byte, 1, MPI_CHAR, 0, 1, comm, MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
  } else if (rank % 4 == 2) {
    EXPECT(class_of(MPI_Send(memory, bytes, MPI_CHAR, (rank + 1) % size, 1, comm)) == MPIX_ERR_REVOKED);
  } else if (rank % 4 == 3) {
    MPI_Status status;
    EXPECT(class_of(MPI_Probe(MPI_ANY_SOURCE, 77, comm, &status)) == MPIX_ERR_REVOKED);
  } else {
    EXPECT(class_of(MPI_Barrier(comm)) == MPIX_ERR_REVOKED);
  }
  EXPECT(class_of(MPI_Barrier(comm)) == MPIX_ERR_REVOKED);
  EXPECT(class_of(MPI_Send(&byte, 1, MPI_CHAR, 0, 1, comm)) == MPIX_ERR_REVOKED);
  MPI_Request request;
  MPI_Ssend_init(&byte, 1, MPI_CHAR, 0, 1, comm, &request);
  MPI_Start(&request);
  EXPECT(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
  MPI_Request_free(&request);
  void* buffer = malloc(1000 + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(buffer, 1000 + MPI_BSEND_OVERHEAD);
  EXPECT(class_of(MPI_Bsend(&byte, 1, MPI_CHAR, 0, 1, comm)) == MPIX_ERR_REVOKED);
  MPI_Buffer_detach(&buffer, &flag);
  free(buffer);
  MPI_Comm small;
  EXPECT(MPIX_Comm_shrink(comm, &small) == MPI_SUCCESS);
  int count;
  MPI_Comm_size(small, &count);
  EXPECT(count == size);
  EXPECT(MPI_Barrier(small) == MPI_SUCCESS);
  MPI_Comm_free(&small);
  MPI_Comm_free(&comm);
  free(memory);
}

/* A message that is matched, and one that waits, when the communicator is revoked: their buffers are the sender's
 * again. */
static void matched(void) {
  const int bytes = 4 << 20;
  char* memory = malloc((size_t)bytes);
  MPI_Comm comm;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request requests[2];
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  memset(memory, rank, (size_t)bytes);
  if (rank == 1 || rank == size - 1) {
    MPI_Isend(memory, bytes, MPI_CHAR, 0, rank == 1 ? 1 : 2, comm, &requests[0]);
    MPI_Isend(memory, 1, MPI_CHAR, 0, 3, comm, &requests[1]);
  } else if (rank == 0) {
    MPI_Mprobe(1, 1, comm, &message, MPI_STATUS_IGNORE);
    MPI_Probe(size - 1, 2, comm, MPI_STATUS_IGNORE);
    MPI_Probe(size - 1, 3, comm, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPIX_Comm_revoke(comm);
    EXPECT(class_of(MPI_Recv(memory, 1, MPI_CHAR, size - 1, 3, comm, MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
  } else if (rank == 1 || rank == size - 1) {
    EXPECT(class_of(MPI_Wait(&requests[0], MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
    memset(memory, 77, (size_t)bytes);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    EXPECT(class_of(MPI_Mrecv(memory, bytes, MPI_CHAR, &message, MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
    EXPECT(message == MPI_MESSAGE_NULL && memory[0] == 0 && memory[bytes - 1] == 0);
    EXPECT(class_of(MPI_Recv(memory, bytes, MPI_CHAR, size - 1, 2, comm, MPI_STATUS_IGNORE)) == MPIX_ERR_REVOKED);
  }
  MPI_Comm_free(&comm);
  free(memory);
}

/* Who has got a communicator may die at once: the others get theirs all the same. */
static void made(const char* how) {
  const int dims = size, periods = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int error = strcmp(how, "dup") == 0     ? MPI_Comm_dup(MPI_COMM_WORLD, &comm)
                    : strcmp(how, "split") == 0 ? MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm)
                    : strcmp(how, "group") == 0 ? MPI_Comm_create_group(MPI_COMM_WORLD, world, 3, &comm)
                                                : MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &periods, 0, &comm);
  if (rank == who) {
    die();
  }
  EXPECT(error == MPI_SUCCESS);
  EXPECT(class_of(MPI_Barrier(comm)) == MPIX_ERR_PROC_FAILED);
  MPI_Group_free(&world);
  MPI_Comm_free(&comm);
}

/* Requests that a death leaves open or that outlive their communicator, and calls that make communicators. */
static void requests(void) {
  char byte = 1, other = 0;
  int flag = 0, count = 0, alone = rank + 1;
  const int dims = 1, periods = 0;
  MPI_Request request, of_freed;
  MPI_Status status;
  MPI_Comm comm, made = MPI_COMM_NULL;
  MPI_Group world;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Irecv(&byte, 1, MPI_CHAR, who, 1, comm, &of_freed);
  MPI_Irecv(&other, 1, MPI_CHAR, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &request);
  MPI_Comm_free(&comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Barrier(MPI_COMM_WORLD); /* all have the copy: the barrier itself may fail */
  if (rank == who) {
    die();
  }
  EXPECT(class_of(MPI_Wait(&of_freed, MPI_STATUS_IGNORE)) == MPIX_ERR_PROC_FAILED);
  EXPECT(class_of(MPI_Wait(&request, &status)) == MPIX_ERR_PROC_FAILED_PENDING && request != MPI_REQUEST_NULL);
  MPI_Cancel(&request);
  EXPECT(MPI_Wait(&request, &status) == MPI_SUCCESS);
  MPI_Test_cancelled(&status, &flag);
  EXPECT(flag);
  MPI_Irecv(&other, 1, MPI_CHAR, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &request);
  EXPECT(class_of(MPI_Wait(&request, &status)) == MPIX_ERR_PROC_FAILED_PENDING);
  MPI_Request_free(&request);
  for (int i = 0; i < 3; ++i) {
    EXPECT(MPI_Ibarrier(MPI_COMM_SELF, &request) == MPI_SUCCESS);
    EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
  }
  MPI_Isendrecv(&byte, 1, MPI_CHAR, rank, 5, &other, 1, MPI_CHAR, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &request);
  EXPECT(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)) == MPIX_ERR_PROC_FAILED && request == MPI_REQUEST_NULL);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  EXPECT(class_of(MPI_Comm_create_group(MPI_COMM_WORLD, world, 3, &made)) == MPIX_ERR_PROC_FAILED);
  MPI_Group_free(&world);
  EXPECT(class_of(MPI_Cart_create(MPI_COMM_WORLD, 1, &dims, &periods, 0, &made)) == MPIX_ERR_PROC_FAILED);
  EXPECT(MPIX_Comm_agree(MPI_COMM_SELF, &alone) == MPI_SUCCESS && alone == rank + 1);
  EXPECT(MPIX_Comm_shrink(MPI_COMM_SELF, &made) == MPI_SUCCESS);
  MPI_Comm_size(made, &count);
  EXPECT(count == 1);
  MPI_Comm_free(&made);
  EXPECT(MPIX_Comm_ishrink(comm, &made, &request) == MPI_SUCCESS);
  MPI_Comm_free(&comm);
  for (flag = 0; flag == 0;) {
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  }
  EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  MPI_Comm_size(made, &count);
  EXPECT(count < size && MPI_Barrier(made) == MPI_SUCCESS);
  MPI_Comm_free(&made);
}

/* Work goes on among those that live, through several deaths: as many as WHO says. */
static void shrinks(int first_dies) {
  MPI_Comm comm, small;
  int deaths = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int round = 0; round < 40; ++round) {
    int me, count, sum = 0, one = 1;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &count);
    if (round % 10 == 5 && deaths < who && me == (first_dies ? 0 : count - 1)) {
      die();
    }
    int error = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    int well = error == MPI_SUCCESS;
    EXPECT(error == MPI_SUCCESS ? sum == count
                                : class_of(error) == MPIX_ERR_PROC_FAILED || class_of(error) == MPIX_ERR_REVOKED);
    if (!well) {
      MPIX_Comm_revoke(comm);
    }
    MPIX_Comm_agree(comm, &well);
    if (!well) {
      ++deaths;
      EXPECT(MPIX_Comm_shrink(comm, &small) == MPI_SUCCESS);
      MPI_Comm_free(&comm);
      comm = small;
      MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
      int left;
      MPI_Comm_size(comm, &left);
      EXPECT(left < count);
    }
  }
  EXPECT(deaths == who);
  MPI_Comm_free(&comm);
}

static void agreements(void) {
  int flag = rank == 1 ? 0xfd : 0xff;
  MPI_Request request;
  EXPECT(MPIX_Comm_agree(MPI_COMM_WORLD, &flag) == MPI_SUCCESS && flag == 0xfd);
  if (rank == who) {
    die();
  }
  flag = 3;
  /* Not all have acknowledged the death, at first. */
  int error = MPIX_Comm_agree(MPI_COMM_WORLD, &flag);
  EXPECT(class_of(error) == MPIX_ERR_PROC_FAILED && flag == 3);
  learn(MPI_COMM_WORLD);
  flag = rank == (who + size / 2) % size ? 5 : 7;
  EXPECT(MPIX_Comm_iagree(MPI_COMM_WORLD, &flag, &request) == MPI_SUCCESS);
  EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag == 5);
  MPI_Group dead;
  int count, acked;
  MPIX_Comm_get_failed(MPI_COMM_WORLD, &dead);
  MPI_Group_size(dead, &count);
  EXPECT(count > 0);
  MPI_Group_free(&dead);
  EXPECT(MPIX_Comm_ack_failed(MPI_COMM_WORLD, count, &acked) == MPI_SUCCESS && acked == count);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*run)(void);
  } scenarios[] = {{"receives", receives}, {"probes", probes},   {"long", long_messages}, {"collectives", collectives},
                   {"revoked", revoked},   {"matched", matched}, {"requests", requests},  {"agreements", agreements}};
  const char* scenario = argc > 1 ? argv[1] : "";
  begin(&argc, &argv);
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; ++i) {
    if (strcmp(scenario, scenarios[i].name) == 0) {
      scenarios[i].run();
    }
  }
  if (strcmp(scenario, "made") == 0) {
    made(argv[3]);
  } else if (strcmp(scenario, "shrinks") == 0) {
    shrinks(argc > 3);
  }
  end(scenario);
  return 0;
}
