! Profiles itself in Fortran: its own MPI_COMM_RANK stands before the library's.
program profiled
  use mpi
  implicit none
  integer :: ierr, me, calls
  common /profile/ calls
  calls = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_rank(MPI_COMM_SELF, me, ierr)
  if (calls /= 2 .or. me /= 0) call MPI_Abort(MPI_COMM_WORLD, 3, ierr)
  print *, 'counted', calls, 'calls'
  call MPI_Finalize(ierr)
end program

subroutine mpi_comm_rank(comm, rank, ierr)
  implicit none
  integer :: comm, rank, ierr, calls
  common /profile/ calls
  calls = calls + 1
  call pmpi_comm_rank(comm, rank, ierr)
end subroutine
