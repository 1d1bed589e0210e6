! Module mpi: the same calls, checked against the interfaces, and what only the module has.
program module_mpi
  use mpi
  implicit none
  integer :: bytes
  real(8) :: matrix(3, 3)
  include 'fortran_bindings.inc'
  call MPI_Sizeof(matrix, bytes, ierr)
  call expect('size of double precision', bytes, 8)
  call MPI_Sizeof(bytes, n, ierr)
  call expect('size of integer', n, 4)
  ! A buffer may be of any type and shape, a section of an array too.
  call MPI_Send(matrix(2, :), 3, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, ierr)
  call expect('section', ierr, 102)
end program

include 'fortran_callbacks.inc'
