// The functions of mpi-ext.h from Fortran.
#include "convert.h"

void mpix_comm_revoke_(MPI_Fint* comm, MPI_Fint* ierror) { *ierror = MPIX_Comm_revoke(WEFT_HANDLE(MPI_Comm, *comm)); }

void mpix_comm_is_revoked_(MPI_Fint* comm, MPI_Fint* flag, MPI_Fint* ierror) {
  *ierror = MPIX_Comm_is_revoked(WEFT_HANDLE(MPI_Comm, *comm), flag);
}

void mpix_comm_shrink_(MPI_Fint* comm, MPI_Fint* newcomm, MPI_Fint* ierror) {
  MPI_Comm c_newcomm = MPI_COMM_NULL;
  *ierror = MPIX_Comm_shrink(WEFT_HANDLE(MPI_Comm, *comm), &c_newcomm);
  *newcomm = WEFT_INTEGER(c_newcomm);
}

void mpix_comm_agree_(MPI_Fint* comm, MPI_Fint* flag, MPI_Fint* ierror) {
  *ierror = MPIX_Comm_agree(WEFT_HANDLE(MPI_Comm, *comm), flag);
}

void mpix_comm_iagree_(MPI_Fint* comm, MPI_Fint* flag, MPI_Fint* request, MPI_Fint* ierror) {
  MPI_Request c_request = MPI_REQUEST_NULL;
  *ierror = MPIX_Comm_iagree(WEFT_HANDLE(MPI_Comm, *comm), flag, &c_request);
  *request = WEFT_INTEGER(c_request);
}

void mpix_comm_get_failed_(MPI_Fint* comm, MPI_Fint* failedgrp, MPI_Fint* ierror) {
  MPI_Group group = MPI_GROUP_NULL;
  *ierror = MPIX_Comm_get_failed(WEFT_HANDLE(MPI_Comm, *comm), &group);
  *failedgrp = WEFT_INTEGER(group);
}

void mpix_comm_ack_failed_(MPI_Fint* comm, MPI_Fint* num_to_ack, MPI_Fint* num_acked, MPI_Fint* ierror) {
  *ierror = MPIX_Comm_ack_failed(WEFT_HANDLE(MPI_Comm, *comm), *num_to_ack, num_acked);
}

void mpix_comm_failure_ack_(MPI_Fint* comm, MPI_Fint* ierror) {
  *ierror = MPIX_Comm_failure_ack(WEFT_HANDLE(MPI_Comm, *comm));
}

void mpix_comm_failure_get_acked_(MPI_Fint* comm, MPI_Fint* failedgrp, MPI_Fint* ierror) {
  MPI_Group group = MPI_GROUP_NULL;
  *ierror = MPIX_Comm_failure_get_acked(WEFT_HANDLE(MPI_Comm, *comm), &group);
  *failedgrp = WEFT_INTEGER(group);
}
