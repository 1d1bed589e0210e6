/* User-level failure mitigation (ULFM): what a program calls to go on after a process has died, in a job of
 * weftrun --survive api. In other jobs a death ends the job, and of these calls those that only ask work. mpi.h
 * includes this file. Names and meanings are those of the MPI Forum's ULFM proposal and of Open MPI's and MPICH's
 * headers. */
#ifndef WEFT_MPI_EXT_H
#define WEFT_MPI_EXT_H

#include "mpi.h"

#define MPIX_ERR_PROC_FAILED 101 /* a process that the call needs has died */
#define MPIX_ERR_PROC_FAILED_PENDING \
  102                        /* one has died that may have been meant by MPI_ANY_SOURCE; the request remains */
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

/* Communication on the communicator fails with MPIX_ERR_REVOKED, that which is waiting too, at once in the caller's
 * process and soon at all members, except MPIX_Comm_shrink and MPIX_Comm_agree. Not collective. */
int MPIX_Comm_revoke(MPI_Comm comm);
/* *flag: whether the calling rank knows of it. */
int MPIX_Comm_is_revoked(MPI_Comm comm, int* flag);

/* Collective over the members that live, also on a revoked communicator. shrink: a communicator of those that live.
 * agree: *flag becomes the bitwise AND of all that live; MPIX_ERR_PROC_FAILED, with *flag set all the same, where
 * members have died that not all who live have acknowledged. */
int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm* newcomm);
int MPIX_Comm_ishrink(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request);
int MPIX_Comm_agree(MPI_Comm comm, int* flag);
int MPIX_Comm_iagree(MPI_Comm comm, int* flag, MPI_Request* request);

/* The members whose death the calling rank knows of. Those that are acknowledged make a receive from MPI_ANY_SOURCE,
 * and MPIX_Comm_agree, fail no more. ack_failed: acknowledges the first num_to_ack of MPIX_Comm_get_failed's. */
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
