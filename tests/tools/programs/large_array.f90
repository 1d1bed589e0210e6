! large_array.c in Fortran.
module numbers
  implicit none
  double precision :: globals(1048576) = 0
contains
  subroutine uses_array(n)
    integer, intent(in) :: n
    double precision :: array(n)
    array(1:n/4) = n
    if (sum(array(1:n/4:7)) < 0) globals(1) = array(n/8)  ! so that the array is used
  end subroutine
end module

program large_array
  use mpi
  use numbers
  implicit none
  integer :: rank, n, error
  character(len=20) :: who, count
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call get_command_argument(1, who)
  call get_command_argument(2, count)
  read (count, *) n
  if (rank == 1 .or. who == "all") call uses_array(n)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  print '("rank ", i0, ": sum ", i0)', rank, int(sum(globals))
  call MPI_Finalize(error)
end program
