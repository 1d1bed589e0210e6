! Of weftrun --survive api: the calls of mpi_f08_ext, and those beside module mpi. The last rank's process dies.
module old_calls
contains
  ! With integers.
  subroutine check_old(comm, faults)
    use mpi
    use mpi_ext
    implicit none
    integer :: comm, faults, error, group, members, flag, small, its_class
    call MPIX_Comm_failure_ack(comm, error)
    call MPIX_Comm_failure_get_acked(comm, group, error)
    call MPI_Group_size(group, members, error)
    if (members < 1) faults = faults + 1
    call MPI_Group_free(group, error)
    call MPI_Barrier(comm, error)
    call MPI_Error_class(error, its_class, error)
    if (its_class /= MPIX_ERR_PROC_FAILED) faults = faults + 1
    call MPIX_Comm_shrink(comm, small, error)
    flag = 1
    call MPIX_Comm_agree(small, flag, error)
    if (flag /= 1 .or. error /= MPI_SUCCESS) faults = faults + 1
    call MPI_Comm_free(small, error)
  end subroutine check_old
end module old_calls

program failures_fortran
  use mpi_f08
  use mpi_f08_ext
  use old_calls
  implicit none
  interface
    subroutine abort_process() bind(C, name="abort")
    end subroutine abort_process
  end interface
  type(MPI_Comm) :: small, twin
  type(MPI_Group) :: dead
  type(MPI_Request) :: request
  integer :: rank, ranks, left, error, its_class, flag, acked, members, faults
  integer(kind=MPI_ADDRESS_KIND) :: survives
  logical :: known
  faults = 0
  call MPI_Init()
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Comm_dup(MPI_COMM_WORLD, twin)
  call MPI_Comm_get_attr(twin, MPIX_FT, survives, known)
  if (.not. known .or. survives /= 1) faults = faults + 1
  if (rank == ranks - 1) call abort_process()
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Error_class(error, its_class)
  if (its_class /= MPIX_ERR_PROC_FAILED) faults = faults + 1
  call MPIX_Comm_get_failed(MPI_COMM_WORLD, dead)
  call MPI_Group_size(dead, members)
  call MPI_Group_free(dead)
  call MPIX_Comm_ack_failed(MPI_COMM_WORLD, members, acked)
  if (members < 1 .or. acked /= members) faults = faults + 1
  call MPIX_Comm_revoke(twin)
  call MPIX_Comm_is_revoked(twin, known)
  if (.not. known) faults = faults + 1
  call MPIX_Comm_shrink(twin, small)
  call MPI_Comm_free(twin)
  call MPI_Comm_size(small, left)
  if (left >= ranks) faults = faults + 1
  flag = merge(6, 7, rank == 0)
  call MPIX_Comm_iagree(small, flag, request)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  if (flag /= 6) faults = faults + 1
  call check_old(MPI_COMM_WORLD%MPI_VAL, faults)
  flag = merge(1, 0, faults == 0)
  call MPIX_Comm_agree(small, flag)
  if (rank == 0 .and. flag == 1) print '(a)', 'fortran: right'
  call MPI_Comm_free(small)
  call MPI_Finalize()
end program failures_fortran
