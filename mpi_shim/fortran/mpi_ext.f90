! The functions of mpi-ext.h (ULFM) for programs that use module mpi or mpi_f08.
module mpi_ext
  implicit none
  include 'mpif-ext.h'
end module mpi_ext

module mpi_f08_ext
  use mpi_f08, only: MPI_Comm, MPI_Group, MPI_Request
  implicit none
  include 'mpif-ext.h'
  private :: MPI_Comm, MPI_Group, MPI_Request

  ! failure.c
  interface
    subroutine c_comm_revoke(comm, error) bind(C, name="mpix_comm_revoke_")
      integer :: comm
      integer :: error
    end subroutine c_comm_revoke
    subroutine c_comm_is_revoked(comm, flag, error) bind(C, name="mpix_comm_is_revoked_")
      integer :: comm
      integer :: flag
      integer :: error
    end subroutine c_comm_is_revoked
    subroutine c_comm_shrink(comm, newcomm, error) bind(C, name="mpix_comm_shrink_")
      integer :: comm
      integer :: newcomm
      integer :: error
    end subroutine c_comm_shrink
    subroutine c_comm_agree(comm, flag, error) bind(C, name="mpix_comm_agree_")
      integer :: comm
      integer :: flag
      integer :: error
    end subroutine c_comm_agree
    subroutine c_comm_iagree(comm, flag, request, error) bind(C, name="mpix_comm_iagree_")
      integer :: comm
      integer :: flag
      integer :: request
      integer :: error
    end subroutine c_comm_iagree
    subroutine c_comm_get_failed(comm, failedgrp, error) bind(C, name="mpix_comm_get_failed_")
      integer :: comm
      integer :: failedgrp
      integer :: error
    end subroutine c_comm_get_failed
    subroutine c_comm_ack_failed(comm, num_to_ack, num_acked, error) bind(C, name="mpix_comm_ack_failed_")
      integer :: comm
      integer :: num_to_ack
      integer :: num_acked
      integer :: error
    end subroutine c_comm_ack_failed
    subroutine c_comm_failure_ack(comm, error) bind(C, name="mpix_comm_failure_ack_")
      integer :: comm
      integer :: error
    end subroutine c_comm_failure_ack
    subroutine c_comm_failure_get_acked(comm, failedgrp, error) bind(C, name="mpix_comm_failure_get_acked_")
      integer :: comm
      integer :: failedgrp
      integer :: error
    end subroutine c_comm_failure_get_acked
  end interface

contains

  subroutine MPIX_Comm_revoke(comm, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, optional, intent(out) :: ierror
    integer :: error
    call c_comm_revoke(comm%MPI_VAL, error)
    if (present(ierror)) ierror = error
  end subroutine MPIX_Comm_revoke

  subroutine MPIX_Comm_is_revoked(comm, flag, ierror)
    type(MPI_Comm), intent(in) :: comm
    logical, intent(out) :: flag
    integer, optional, intent(out) :: ierror
    integer :: error, known
    known = 0
    call c_comm_is_revoked(comm%MPI_VAL, known, error)
    flag = known /= 0
    if (present(ierror)) ierror = error
  end subroutine MPIX_Comm_is_revoked

  subroutine MPIX_Comm_shrink(comm, newcomm, ierror)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Comm), intent(out) :: newcomm
    integer, optional, intent(out) :: ierror
    integer :: error
    call c_comm_shrink(comm%MPI_VAL, newcomm%MPI_VAL, error)
    if (present(ierror)) ierror = error
  end subroutine MPIX_Comm_shrink

  subroutine MPIX_Comm_agree(comm, flag, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(inout) :: flag
    integer, optional, intent(out) :: ierror
    integer :: error
    call c_comm_agree(comm%MPI_VAL, flag, error)
    if (present(ierror)) ierror = error
  end subroutine MPIX_Comm_agree

  subroutine MPIX_Comm_iagree(comm, flag, request, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(inout), asynchronous :: flag
    type(MPI_Request), intent(out) :: request
    integer, optional, intent(out) :: ierror
    integer :: error
    call c_comm_iagree(comm%MPI_VAL, flag, request%MPI_VAL, error)
    if (present(ierror)) ierror = error
  end subroutine MPIX_Comm_iagree

  subroutine MPIX_Comm_get_failed(comm, failedgrp, ierror)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Group), intent(out) :: failedgrp
    integer, optional, intent(out) :: ierror
    integer :: error
    call c_comm_get_failed(comm%MPI_VAL, failedgrp%MPI_VAL, error)
    if (present(ierror)) ierror = error
  end subroutine MPIX_Comm_get_failed

  subroutine MPIX_Comm_ack_failed(comm, num_to_ack, num_acked, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: num_to_ack
    integer, intent(out) :: num_acked
    integer, optional, intent(out) :: ierror
    integer :: error
    call c_comm_ack_failed(comm%MPI_VAL, num_to_ack, num_acked, error)
    if (present(ierror)) ierror = error
  end subroutine MPIX_Comm_ack_failed

  subroutine MPIX_Comm_failure_ack(comm, ierror)
    type(MPI_Comm), intent(in) :: comm
    integer, optional, intent(out) :: ierror
    integer :: error
    call c_comm_failure_ack(comm%MPI_VAL, error)
    if (present(ierror)) ierror = error
  end subroutine MPIX_Comm_failure_ack

  subroutine MPIX_Comm_failure_get_acked(comm, failedgrp, ierror)
    type(MPI_Comm), intent(in) :: comm
    type(MPI_Group), intent(out) :: failedgrp
    integer, optional, intent(out) :: ierror
    integer :: error
    call c_comm_failure_get_acked(comm%MPI_VAL, failedgrp%MPI_VAL, error)
    if (present(ierror)) ierror = error
  end subroutine MPIX_Comm_failure_get_acked
end module mpi_f08_ext
