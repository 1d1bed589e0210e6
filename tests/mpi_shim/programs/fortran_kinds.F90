! What options that change default kinds must leave alone: the time, by mpif.h (-DBY_MPIF), module mpi (-DBY_MPI) and
! module mpi_f08.
program kinds
#if defined(BY_MPI)
  use mpi
#elif !defined(BY_MPIF)
  use mpi_f08
#endif
  implicit none
#if defined(BY_MPIF)
  include 'mpif.h'
#endif
  integer :: failure, rank, n
  real(kind=8) :: begin, now

  call MPI_Init(failure)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, failure)
  if (kind(MPI_Wtime()) /= 8 .or. kind(MPI_Wtick()) /= 8) call refuse('the time is of another kind')
  if (kind(PMPI_Wtime()) /= 8 .or. kind(PMPI_Wtick()) /= 8) call refuse('the tool''s time is of another kind')
  if (.not. (MPI_Wtick() > 0 .and. MPI_Wtick() < 1)) call refuse('a tick has no plausible length')
  begin = MPI_Wtime()
  if (.not. (begin > 0 .and. begin < 1d12)) call refuse('the time is none')
  if (abs(PMPI_Wtime() - begin) > 3600) call refuse('the tool has another time')
  now = begin
  do n = 1, 100000000
    now = MPI_Wtime()
    if (now > begin) exit
  end do
  if (.not. now > begin) call refuse('the time stands still')
  call check_addresses
  if (rank == 0) print '(a)', 'all kinds right'
  call MPI_Finalize(failure)

contains
  subroutine refuse(what)
    character(len=*), intent(in) :: what
    integer :: ended
    print '(a)', what
    call MPI_Abort(MPI_COMM_WORLD, 1, ended)
  end subroutine

  subroutine check_addresses
    integer(kind=MPI_ADDRESS_KIND) :: low, high
    low = 4294967296_8
    high = MPI_Aint_add(low, low)
    if (high /= 2 * low .or. MPI_Aint_diff(high, low) /= low) call refuse('addresses are cut')
  end subroutine
end program
