! The same in Fortran: a COMMON block and a SAVE variable.
program hello
  use mpi
  implicit none
  integer :: rank, size, error, shared
  integer, save :: kept = 3
  common /block/ shared

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  shared = rank
  kept = kept + rank
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (shared /= rank .or. kept /= 3 + rank) then
    print '(a,i0,a)', 'hello from Fortran: rank ', rank, ' SPOILT'
    stop 1
  end if
  print '(a,i0,a,i0)', 'hello from Fortran: rank ', rank, ' of ', size
  call MPI_Finalize(error)
end program hello
