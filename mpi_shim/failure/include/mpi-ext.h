/* User-level failure mitigation (ULFM): what a program calls to go on after a process has died, in a job of
 * weftrun --survive api. In other jobs a death ends the job, and of these calls only those work that ask about failures
 * or acknowledge them. mpi.h includes this file. Names and meanings are those of the MPI Forum's ULFM proposal and of
 * Open MPI's and MPICH's headers. */
#ifndef WEFT_MPI_EXT_H
#define WEFT_MPI_EXT_H

#include "mpi.h"

#define MPIX_ERR_PROC_FAILED 101 /* a process that the call needs has died */
#define MPIX_ERR_PROC_FAILED_PENDING \
  102                        /* a process that MPI_ANY_SOURCE may have meant has died; the request remains */
#define MPIX_ERR_REVOKED 103 /* MPIX_Comm_revoke has been called on the communicator */

/* A key value of every communicator, whose attribute points to an int: 1 if the job can go on without a process. */
#define MPIX_FT 561

/* As Open MPI's mpi-ext.h says that it has this. */
#define OMPI_HAVE_MPI_EXT_FTMPI 1

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* From now on communication on the communicator fails with MPIX_ERR_REVOKED, pending operations included: at once in
 * the caller's process and soon at all members. MPIX_Comm_shrink and MPIX_Comm_agree still work. Not collective. */
int MPIX_Comm_revoke(MPI_Comm comm);
/* *flag: whether the calling rank knows that the communicator is revoked. */
int MPIX_Comm_is_revoked(MPI_Comm comm, int* flag);

/* Collective over the surviving members, also on a revoked communicator. shrink: makes a communicator of the survivors.
 * agree: *flag becomes the bitwise AND over the survivors. If members have died that not all survivors have
 * acknowledged, *flag is set too, and the result is MPIX_ERR_PROC_FAILED. */
int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm* newcomm);
int MPIX_Comm_ishrink(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request);
int MPIX_Comm_agree(MPI_Comm comm, int* flag);
int MPIX_Comm_iagree(MPI_Comm comm, int* flag, MPI_Request* request);

/* The members whose death the calling rank knows of. Acknowledged deaths no longer make MPIX_Comm_agree or a receive
 * from MPI_ANY_SOURCE fail. ack_failed: acknowledges the first num_to_ack members of MPIX_Comm_get_failed. */
int MPIX_Comm_get_failed(MPI_Comm comm, MPI_Group* failedgrp);
int MPIX_Comm_ack_failed(MPI_Comm comm, int num_to_ack, int* num_acked);
int MPIX_Comm_failure_ack(MPI_Comm comm);
int MPIX_Comm_failure_get_acked(MPI_Comm comm, MPI_Group* failedgrp);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
